public import NIOCore
import NIOPosix
import PlayheadHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Asks a running `serve` over HTTP/1.1: one connection for each question.
public struct AdminClient: Sendable {
    /// An answer that came whole.
    public struct Answer: Sendable {
        /// The status code.
        public var status: Int
        /// The body.
        public var body: ByteBuffer

        /// The body as text.
        public var text: String { String(buffer: self.body) }
    }

    /// Why there is no answer; the text says what to do.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// One sentence.
        public var description: String
    }

    /// The most octets of an answer's body.
    static let bodyLimit = 64 << 20

    /// Where to ask.
    public let host: String
    /// Where to ask.
    public let port: Int
    /// The token, if there is one.
    public let token: String?
    private let timeout: TimeAmount

    /// Takes a URL such as `http://127.0.0.1:8081`; nil when it is no `http` URL.
    public init?(url: String, token: String? = nil, timeoutSeconds: Int = 10) {
        guard let target = try? RequestTarget.parse(url, method: "GET"), target.form == .absolute,
            target.scheme == "http", target.userinfo == nil
        else { return nil }
        self.host = target.host
        self.port = target.port ?? 80
        self.token = token
        self.timeout = .seconds(Int64(timeoutSeconds))
    }

    /// Sends one GET request for a target in origin form, or in absolute form to a proxy.
    ///
    /// - Throws: `Failure`.
    public func get(_ target: String) async throws -> Answer {
        let authority = self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
        var head = RequestHead(method: "GET", target: target)
        head.headers.append(name: "Host", value: authority)
        head.headers.append(name: "Connection", value: "close")
        if let token = self.token { head.headers.append(name: "Authorization", value: "Bearer \(token)") }
        let (group, host, port, timeout) = (MultiThreadedEventLoopGroup.singleton, self.host, self.port, self.timeout)
        let answer = group.any().makePromise(of: Answer.self)
        do {
            let request = head
            let channel = try await ClientBootstrap(group: answer.futureResult.eventLoop)
                .connectTimeout(timeout)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            AnswerReader(request: request, answer: answer, timeout: timeout))
                    }
                }
                .connect(host: host, port: port).get()
            defer { channel.close(promise: nil) }
            return try await answer.futureResult.get()
        } catch {
            // Fails it where it was not kept; a kept promise stays as it is.
            answer.fail(error)
            if let failure = error as? Failure { throw failure }
            throw Failure(
                description:
                    "Nothing answers at http://\(authority) (\(Self.reason(error))). Is `playhead serve` running?")
        }
    }

    /// What kept a connection from being made, in the system's words.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let connection as NIOConnectionError:
            guard let first = connection.connectionErrors.first else { return "the name does not resolve" }
            return Self.reason(first.error)
        case let io as IOError: return String(cString: strerror(io.errnoCode))
        case ChannelError.connectTimeout: return "no connection in time"
        default: return "\(error)"
        }
    }
}

/// Sends a request when the connection is there and keeps the promise with the answer.
private final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: RequestHead
    private let answer: EventLoopPromise<AdminClient.Answer>
    private let timeout: TimeAmount
    private var decoder = HTTP1ResponseDecoder()
    private var status = 0
    private var body = ByteBuffer()
    private var deadline: Scheduled<Void>?

    init(request: RequestHead, answer: EventLoopPromise<AdminClient.Answer>, timeout: TimeAmount) {
        self.request = request
        self.answer = answer
        self.timeout = timeout
    }

    func channelActive(context: ChannelHandlerContext) {
        var out = ByteBuffer()
        HTTP1Encoder.write(self.request, into: &out)
        self.decoder.expect(method: self.request.method)
        context.writeAndFlush(self.wrapOutboundOut(out), promise: nil)
        let (answer, timeout) = (self.answer, self.timeout)
        self.deadline = context.eventLoop.scheduleTask(in: timeout) {
            answer.fail(
                AdminClient.Failure(description: "No answer within \(timeout.nanoseconds / 1_000_000_000) s."))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.decoder.append(self.unwrapInboundIn(data))
        self.take()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        do {
            if case .end? = try self.decoder.finish() { self.succeed() }
        } catch {
            self.answer.fail(error)
        }
        self.answer.fail(AdminClient.Failure(description: "The connection ended before the answer was complete."))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.answer.fail(error) }

    private func succeed() {
        self.deadline?.cancel()
        self.answer.succeed(AdminClient.Answer(status: self.status, body: self.body))
    }

    private func take() {
        do {
            while let part = try self.decoder.next() {
                switch part {
                case .informational: break
                case .head(let head, _): self.status = head.status
                case .body(let octets, _):
                    self.body.writeImmutableBuffer(octets)
                    guard self.body.readableBytes <= AdminClient.bodyLimit else {
                        return self.answer.fail(AdminClient.Failure(description: "The answer is over 64 MiB."))
                    }
                case .end: return self.succeed()
                }
            }
        } catch {
            self.answer.fail(error)
        }
    }
}

@available(*, unavailable)
extension AnswerReader: Sendable {}
