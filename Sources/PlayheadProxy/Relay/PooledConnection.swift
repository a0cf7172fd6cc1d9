import NIOCore

/// A connection to an origin as its pool sees it, whatever it speaks.
protocol PooledConnection: AnyObject {
    var target: UpstreamTarget { get }

    /// When there was the last progress, in the loop's coarse time.
    var lastActivity: NIODeadline { get }

    /// Called about once a second: ends what has been quiet too long.
    func checkDeadline(now: NIODeadline, timeouts: ProxyTimeouts)

    /// Closes, finished or not.
    func abandon()
}
