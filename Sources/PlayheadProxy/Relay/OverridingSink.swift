import NIOCore
import NIOPosix
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// Puts other values into the JSON of a live response on its way to the client (`--mode intercept`).
///
/// A JSON body is held back until it is complete; event streams and JSON lines go on line by line. What cannot be read
/// or is too large goes on as it came.
final class OverridingSink: ResponseSink {
    /// The bound of a body that is held back, in octets as they are sent.
    static let limit = 16 * 1024 * 1024
    /// A larger one is changed on a thread.
    private static let largeLimit = 64 * 1024

    private enum State {
        case passing
        case lines(OverriddenLines)
        case whole(HeldResponse)
    }

    private unowned let sink: any ResponseSink
    private let overrides: JSONOverrides
    private let request: ProxiedRequest
    private let eventLoop: any EventLoop
    private let warn: (String) -> Void
    private var state = State.passing
    private var isCancelled = false

    init(
        _ sink: any ResponseSink, overrides: JSONOverrides, request: ProxiedRequest, eventLoop: any EventLoop,
        warn: @escaping (String) -> Void
    ) {
        self.sink = sink
        self.overrides = overrides
        self.request = request
        self.eventLoop = eventLoop
        self.warn = warn
    }

    /// The client is gone: nothing more is sent.
    func cancel() { self.isCancelled = true }

    // MARK: what is changed

    func head(_ head: ResponseHead, framing: BodyFraming) {
        guard let held = HeldResponse(head, framing, method: self.request.head.method) else {
            return self.sink.head(head, framing: framing)
        }
        switch held.passage {
        case .whole: self.state = .whole(held)
        case .lines:
            self.sink.head(head, framing: framing)
            self.state = .lines(OverriddenLines(self.overrides))
        }
    }

    func body(_ octets: ByteBuffer) {
        switch self.state {
        case .passing: self.sink.body(octets)
        case .lines(var lines):
            self.state = .passing
            let ready = lines.take(octets)
            self.state = .lines(lines)
            if ready.readableBytes > 0 { self.sink.body(ready) }
        case .whole(var held):
            self.state = .passing
            held.octets.writeImmutableBuffer(octets)
            if held.octets.readableBytes > Self.limit {
                self.warn(
                    "a response of \(self.request.host) was not changed: it is over \(Self.limit >> 20) MiB")
                return self.release(held)
            }
            guard held.canBeJSON else { return self.release(held) }
            self.state = .whole(held)
        }
    }

    func end(trailers: HeaderList) {
        let state = self.state
        self.state = .passing
        switch state {
        case .passing: break
        case .lines(var lines):
            let rest = lines.end()
            if rest.readableBytes > 0 { self.sink.body(rest) }
        case .whole(let held) where held.octets.readableBytes > Self.largeLimit:
            return self.changeOnThread(held, trailers)
        case .whole(let held): self.release(held.changed(self.overrides))
        }
        self.sink.end(trailers: trailers)
    }

    func breakOff(reset: Bool) {
        switch self.state {
        case .passing: break
        case .lines(let lines): if lines.rest.readableBytes > 0 { self.sink.body(lines.rest) }
        case .whole(let held): self.release(held)
        }
        self.state = .passing
        self.sink.breakOff(reset: reset)
    }

    private func release(_ held: HeldResponse) {
        self.sink.head(held.head, framing: held.framing)
        if held.octets.readableBytes > 0 { self.sink.body(held.octets) }
    }

    private func changeOnThread(_ held: HeldResponse, _ trailers: HeaderList) {
        let overrides = self.overrides
        let changed = NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) { held.changed(overrides) }
        changed.assumeIsolated().whenComplete { result in
            guard !self.isCancelled else { return }
            self.release((try? result.get()) ?? held)
            self.sink.end(trailers: trailers)
            self.sink.flush()
        }
    }

    // MARK: what passes

    var isWritable: Bool { self.sink.isWritable }
    var takesWireForm: Bool { self.sink.takesWireForm }
    func informational(_ head: ResponseHead) { self.sink.informational(head) }
    func complete(wire: ByteBuffer) { self.sink.complete(wire: wire) }
    func switchProtocols(_ head: ResponseHead) { self.sink.switchProtocols(head) }
    func flush() { self.sink.flush() }
    func setRequestPaused(_ paused: Bool) { self.sink.setRequestPaused(paused) }
    func setPaced(_ isWaiting: Bool) { self.sink.setPaced(isWaiting) }
}

@available(*, unavailable)
extension OverridingSink: Sendable {}
