import NIOCore
import NIOPosix
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// Hands one recorded outcome to the client when it is more than one write: side files, HEAD, 1.0, failures.
final class ReplayStream {
    private let exchange: Exchange
    private let index: Int
    private let method: String
    private unowned let sink: any ResponseSink
    private let loop: ProxyLoop
    private let session: CassetteSession
    private var pieces: ArraySlice<ByteBuffer> = []
    private var trailers = HeaderList()
    private var breaksOff: RecordedFailure.Kind?
    private var file: PieceSource?
    /// How many octets of the side file are still to be sent.
    private var fileOctetsLeft = 0
    private var isReading = false
    private var isDone = false

    init(
        exchange: Exchange, index: Int, session: CassetteSession, method: String, sink: any ResponseSink,
        loop: ProxyLoop
    ) {
        self.exchange = exchange
        self.index = index
        self.method = method
        self.sink = sink
        self.loop = loop
        self.session = session
    }

    func start() {
        switch self.exchange.outcome {
        case .response(let response): self.start(response)
        case .failure(let failure):
            guard let partial = failure.partial else {
                let response = FailureResponse.make(UpstreamFailure(recorded: failure))
                self.sink.head(response.head, framing: .length(response.body.readableBytes))
                self.pieces = [response.body]
                return self.send()
            }
            self.breaksOff = failure.kind
            self.start(partial)
        case .webSocket: self.unreadable("it is a WebSocket, and the request did not ask for one.")
        }
    }

    func sinkBecameWritable() { self.send() }

    /// The client went away before it had everything: the recording may answer again.
    func clientGone() {
        guard !self.isDone else { return }
        self.isDone = true
        self.file = nil
        self.session.giveBack(self.index)
    }

    private func start(_ response: RecordedResponse) {
        if response.body.isTruncated, self.breaksOff == nil { self.breaksOff = .closed }
        switch response.body.content {
        case .none: self.start(response, octets: ByteBuffer())
        case .octets(let octets): self.start(response, octets: octets)
        case .file(let reference):
            if self.method == "HEAD" {
                self.begin(ReplayResponse(response, wireLength: reference.length, method: self.method), response)
                return self.send()
            }
            if response.body.coding.isEmpty {
                do {
                    self.file = PieceSource(try self.session.openSideFile(reference))
                    self.fileOctetsLeft = reference.length
                } catch {
                    return self.unreadable("\(error)")
                }
                self.begin(ReplayResponse(response, wireLength: reference.length, method: self.method), response)
                self.send()
            } else {
                self.loadAndEncode(response)
            }
        }
    }

    private func start(_ response: RecordedResponse, octets: ByteBuffer) {
        do {
            let replay = try ReplayResponse(response, octets: octets, method: self.method)
            self.begin(replay, response)
            self.pieces = replay.pieces[...]
            self.send()
        } catch {
            self.unreadable("\(error)")
        }
    }

    private func begin(_ replay: ReplayResponse, _ response: RecordedResponse) {
        self.trailers = replay.trailers
        guard let kind = self.breaksOff, case .length = replay.framing else {
            return self.sink.head(replay.head, framing: replay.framing)
        }
        // The recorded length was never reached: the client must see the length that was promised.
        _ = kind
        var head = replay.head
        head.headers = response.headers
        let promised = response.headers.first("content-length").flatMap { Int($0) } ?? 0
        self.sink.head(head, framing: .length(promised))
    }

    /// Sends pieces while the client takes them; goes on when it takes more.
    private func send() {
        guard !self.isDone else { return }
        while let piece = self.pieces.popFirst() {
            self.sink.body(piece)
            if !self.sink.isWritable {
                self.sink.flush()
                if !self.sink.isWritable { return }
            }
        }
        if self.file != nil { return self.readMore() }
        self.finish()
    }

    private func finish() {
        self.isDone = true
        self.session.completed(self.index)
        if let kind = self.breaksOff { return self.sink.breakOff(reset: kind == .reset) }
        self.sink.end(trailers: self.trailers)
        self.sink.flush()
    }

    private func readMore() {
        guard let file = self.file, !self.isReading else { return }
        self.isReading = true
        let read = NIOThreadPool.singleton.runIfActive(eventLoop: self.loop.eventLoop) {
            try file.next()
        }
        read.assumeIsolated().whenComplete { result in
            self.isReading = false
            guard !self.isDone else { return }
            switch result {
            case .success(let octets):
                if let octets { self.pieces = [octets] }
                // The last piece ends the answer at once: a client that counts octets may close before another read
                // would find the end, and the recording would count as not played.
                self.fileOctetsLeft -= octets?.readableBytes ?? 0
                if octets == nil || self.fileOctetsLeft <= 0 { self.file = nil }
                self.send()
                self.sink.flush()
            case .failure:
                self.isDone = true
                self.sink.breakOff(reset: true)
            }
        }
    }

    private func loadAndEncode(_ response: RecordedResponse) {
        let session = self.session
        let method = self.method
        let encoded = NIOThreadPool.singleton.runIfActive(eventLoop: self.loop.eventLoop) {
            try ReplayResponse(response, octets: try session.loadBody(response.body), method: method)
        }
        encoded.assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let replay):
                self.begin(replay, response)
                self.pieces = replay.pieces[...]
                self.send()
                self.sink.flush()
            case .failure(let error):
                self.unreadable("\(error)")
                self.sink.flush()
            }
        }
    }

    private func unreadable(_ reason: String) {
        self.isDone = true
        let response = OwnResponse.error(
            status: 500, reason: "The recording \(self.exchange.id) cannot be read: \(reason)")
        self.sink.head(response.head, framing: .length(response.body.readableBytes))
        self.sink.body(response.body)
        self.sink.end(trailers: HeaderList())
    }
}

@available(*, unavailable)
extension ReplayStream: Sendable {}

/// A side file read piece by piece on a thread.
///
/// `@unchecked Sendable`: `ReplayStream` starts the next read only after the last one is done.
private final class PieceSource: @unchecked Sendable {
    private let reader: SideFileReader

    init(_ reader: SideFileReader) { self.reader = reader }

    func next() throws -> ByteBuffer? { try self.reader.read(upTo: 128 * 1024) }
}

extension UpstreamFailure {
    /// A recorded failure, to be answered as it was when it happened.
    init(recorded failure: RecordedFailure) {
        let proxyError: String
        switch failure.kind {
        case .dns: proxyError = "dns_error"
        case .refused: proxyError = "connection_refused"
        case .unreachable: proxyError = "destination_ip_unroutable"
        case .tls: proxyError = "tls_certificate_error"
        case .timeout: proxyError = "connection_timeout"
        case .reset, .closed: proxyError = "connection_terminated"
        case .malformed: proxyError = "http_protocol_error"
        }
        self.init(
            kind: failure.kind, message: failure.message, proxyError: proxyError,
            status: failure.kind == .timeout ? 504 : 502)
    }
}
