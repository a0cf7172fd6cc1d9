import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// The way of one request, in order: rules, then the session's recordings, then the network, else a miss.
///
/// Read this first. Every decision is made here, synchronously on the connection's event loop:
///
/// 0. A mock or a fault that the user set strikes first.
/// 1. `ignore` rules: relayed, not recorded.
/// 2. A session that never replays: relayed, and recorded if its plan says so; `intercept` changes JSON on the way.
/// 3. A recording answers: replayed.
/// 4. The plan may relay: relayed and recorded.
/// 5. A miss: the client is told which recording was nearest and why it did not match.
final class ExchangePipeline {
    private enum Phase {
        /// The request's body is collected before the recordings are asked.
        case collecting(BodyCollector)
        case relaying(Relay)
        case replaying(ReplayStream)
        /// A mock or a fault in place of the usual way, or before it.
        case staged(StagedAnswer)
        /// The client was answered 101.
        case webSocket(any WebSocketEnd)
        case done
    }

    private let request: ProxiedRequest
    private unowned let sink: any ResponseSink
    private let loop: ProxyLoop
    private let session: CassetteSession
    private var phase = Phase.done
    /// Counts the messages of a call of gRPC, which may be answered before its request is complete.
    private var messages: GRPCMessageBorders?
    private var messageCount = 0
    /// A request body on its way from a file.
    private var spilled: SpilledBody?
    /// The whole request, where an old recording may have to answer it.
    private var asked: IncomingRequest?
    /// A call of gRPC whose server cannot be reached, while what comes of it is to choose an old recording.
    private var fallen: (relay: Relay, failure: UpstreamFailure)?
    /// What stands between the network and the client in mode `intercept`.
    private var overriding: OverridingSink?
    /// When the request began, if recorded times count from it.
    private var startedAt: NIODeadline?

    deinit { self.spilled?.cancel() }

    init(request: ProxiedRequest, session: CassetteSession, sink: any ResponseSink, loop: ProxyLoop) {
        self.request = request
        self.sink = sink
        self.loop = loop
        self.session = session
        if request.isGRPC { self.messages = GRPCMessageBorders() }
    }

    /// Starts with the request head; body parts follow unless the framing says there is none.
    func begin() {
        if let action = self.loop.core.staged.action(for: self.request, session: self.session.options.id) {
            return self.stage(action)
        }
        self.goOn()
    }

    /// The usual way.
    private func goOn() {
        let plan = self.session.plan
        if !self.session.options.speed.isInstant { self.startedAt = .now() }
        let traffic = self.loop.core.settings.traffic
        if !traffic.isEmpty,
            traffic.decision(host: self.request.host, port: self.request.port, url: self.request.url) == .ignore
        {
            self.session.countIgnored(self.request)
            return self.relay(recording: false)
        }
        if plan.mode == .intercept { self.overrideValues() }
        guard plan.replays || self.mayFallBack else { return self.relay(recording: plan.records) }
        if case .none = self.request.framing { return self.decide(self.request.incoming(), body: nil) }
        if plan.relays || self.request.isGRPC, !self.session.hasCandidates(self.request.incoming()) {
            // A call of gRPC may wait for an answer before it ends its request.
            return plan.relays ? self.relay(recording: plan.records) : self.decide(self.request.incoming(), body: nil)
        }
        if self.request.expectsContinue {
            self.sink.informational(ResponseHead(status: 100, reason: "Continue"))
        }
        self.phase = .collecting(BodyCollector(spills: plan.relays))
    }

    /// Whether an old recording may have to answer, which the request's body chooses.
    ///
    /// A call of gRPC is not held back for that: its server may wait for the first message only.
    private var mayFallBack: Bool {
        self.session.plan.fallsBackToOld && self.request.framing != .none && !self.request.isGRPC
    }

    // MARK: from the client

    func requestBody(_ octets: ByteBuffer) {
        switch self.phase {
        case .collecting(let collector):
            self.fallen?.relay.requestBody(octets)
            self.collect(octets, collector)
        case .relaying(let relay): relay.requestBody(octets)
        case .webSocket(let socket): socket.clientOctets(octets)
        case .staged(let staged): staged.requestBody(octets)
        case .replaying(let replay):
            let count = self.messages?.take(octets).count ?? 0
            self.messageCount += count
            if count > 0 { replay.messagesCame(self.messageCount) }
        case .done: break
        }
    }

    private func collect(_ octets: ByteBuffer, _ collector: BodyCollector) {
        collector.append(octets)
        self.callWentOn(octets, collector)
    }

    /// A call of gRPC may have to be answered before its request is complete: the client waits for that.
    private func callWentOn(_ octets: ByteBuffer, _ collector: BodyCollector) {
        guard let ends = self.messages?.take(octets), !ends.isEmpty, self.messages?.open == 0 else { return }
        self.messageCount += ends.count
        guard let begun = collector.octets else { return }
        switch self.session.callInProgress(self.request.incoming(), begun: begun, messages: self.messageCount) {
        case .waits: break
        case .answers(let recorded):
            guard case .octets(let body) = recorded.content,
                case .exchange(let exchange, let play) = self.session.answer(
                    self.request.incoming(body: .octets(body)), wantsWireForm: false)
            else { return }
            self.yieldToOld()
            self.replay(.exchange(exchange, play), after: self.messageCount)
        case .differs:
            // The rules may not look at bodies.
            switch self.session.answer(self.request.incoming(body: .octets(begun)), wantsWireForm: false) {
            case .exchange(let exchange, let play):
                self.yieldToOld()
                self.replay(.exchange(exchange, play), after: self.messageCount)
            case .miss(let report):
                if let fallen = self.fallen { return self.reportFailure(fallen.relay) }
                guard self.session.plan.relays else { return self.miss(report) }
                self.relay(recording: self.session.plan.records, begun: begun)
            case .wire: break
            }
        }
    }

    func requestEnd(_ trailers: HeaderList) {
        switch self.phase {
        case .collecting(let collector):
            let incoming = self.request.incoming(body: collector.finish())
            guard let fallen = self.fallen else { return self.decide(incoming, body: (collector, trailers)) }
            fallen.relay.requestEnd(trailers)
            self.answerFromOld(incoming, fallen.relay)
        case .relaying(let relay): relay.requestEnd(trailers)
        case .staged(let staged): staged.requestEnd(trailers)
        case .webSocket(let socket): socket.clientEnded()
        case .replaying(let replay): if self.messages != nil { replay.messagesCame(nil) }
        case .done: break
        }
    }

    func sinkBecameWritable() {
        switch self.phase {
        case .relaying(let relay): relay.sinkBecameWritable()
        case .replaying(let replay): replay.sinkBecameWritable()
        case .webSocket(let socket): socket.sinkBecameWritable()
        case .collecting, .staged, .done: break
        }
    }

    /// The client's connection is gone, or its request turned out to be malformed.
    func clientGone() {
        let phase = self.phase
        self.phase = .done
        self.overriding?.cancel()
        self.spilled?.cancel()
        self.fallen?.relay.yield()
        switch phase {
        case .relaying(let relay): relay.clientGone()
        case .replaying(let replay): replay.clientGone()
        case .staged(let staged): staged.clientGone()
        case .webSocket(let socket): socket.clientGone()
        case .collecting, .done: break
        }
    }

    /// Called about once a second while the proxy is being stopped.
    func drain() { if case .webSocket(let socket) = self.phase { socket.drain() } }

    /// The proxy stops now; what has no end by itself is recorded as far as it came.
    func stop() {
        switch self.phase {
        case .relaying(let relay): relay.stop()
        case .webSocket(let socket): socket.stop()
        case .collecting, .replaying, .staged, .done: break
        }
    }

    // MARK: decision

    private func stage(_ action: StagedAction) {
        switch action {
        case .mock(let rule):
            self.session.observe(.mocked(rule.exchange(answering: self.request, at: self.session.clock())))
        case .fault(let rule):
            self.session.observe(
                .faulted(method: self.request.head.method, url: self.request.url, kind: rule.kind.rawValue))
        }
        let staged = StagedAnswer(action, hasBody: self.request.framing != .none, sink: self.sink, loop: self.loop)
        staged.proceed = { [unowned self, unowned staged] in self.afterDelay(staged) }
        self.phase = .staged(staged)
        staged.start(expectsContinue: self.request.expectsContinue)
    }

    /// A delayed request meets a mock, or goes its usual way; what came of it meanwhile follows.
    private func afterDelay(_ staged: StagedAnswer) {
        let (body, end) = staged.takeHeld()
        if let mock = self.loop.core.staged.mock(for: self.request, session: self.session.options.id) {
            self.stage(.mock(mock))
        } else {
            self.goOn()
        }
        for octets in body { self.requestBody(octets) }
        if let end { self.requestEnd(end) }
    }

    private func decide(_ incoming: IncomingRequest, body: (BodyCollector, HeaderList)?) {
        guard self.session.plan.replays else {
            self.asked = incoming
            return self.relay(recording: self.session.plan.records, body: body)
        }
        let answer = self.session.answer(incoming, wantsWireForm: self.sink.takesWireForm)
        if case .miss(let report) = answer {
            guard self.session.plan.relays else { return self.miss(report) }
            return self.relay(recording: self.session.plan.records, body: body)
        }
        self.replay(answer)
    }

    /// - Parameter messages: how many of the request's messages have come, if it is still under way.
    private func replay(_ answer: CassetteSession.Answer, after messages: Int? = nil) {
        switch answer {
        case .wire(let wire): self.sink.complete(wire: wire)
        case .exchange(let exchange, let play):
            if case .webSocket(let socket) = exchange.outcome, self.request.asksForWebSocket {
                let replay = WebSocketReplay(
                    request: self.request, exchange: exchange, socket: socket, play: play, session: self.session,
                    sink: self.sink, eventLoop: self.loop.eventLoop)
                self.phase = .webSocket(replay)
                return replay.start()
            }
            let replay = ReplayStream(
                exchange: exchange, play: play, session: self.session, method: self.request.head.method,
                sink: self.sink, loop: self.loop, startedAt: self.startedAt)
            self.phase = .replaying(replay)
            if let messages { replay.waitForMessages(after: messages) }
            replay.start()
            if messages != nil { self.sink.flush() }
        case .miss: break
        }
    }

    /// `re_record_after`: an old recording answers when the origin cannot be reached, rather than none at all.
    private func answerFromOld(_ failure: UpstreamFailure, _ relay: Relay) -> Relay.Fallback {
        if self.request.isGRPC, self.asked == nil, let sent = relay.sent {
            return self.collectForOld(failure, relay, sent)
        }
        let answer = self.session.answer(
            self.asked ?? self.request.incoming(), wantsWireForm: self.sink.takesWireForm)
        if case .miss = answer { return .none }
        self.warnOfOld(failure)
        self.replay(answer)
        self.sink.flush()
        return .answered
    }

    /// A call of gRPC was not held back: what came of it meanwhile chooses, and what still comes.
    private func collectForOld(
        _ failure: UpstreamFailure, _ relay: Relay, _ sent: [Relay.RequestEvent]
    ) -> Relay.Fallback {
        guard self.session.hasCandidates(self.request.incoming()) else { return .none }
        let collector = BodyCollector(spills: false)
        self.phase = .collecting(collector)
        self.fallen = (relay, failure)
        for event in sent {
            switch (event, self.phase) {
            case (.body(let octets), .collecting): self.collect(octets, collector)
            case (.end, .collecting): self.answerFromOld(self.request.incoming(body: collector.finish()), relay)
            // It answers in the middle of the request.
            case (.body(let octets), .replaying): self.requestBody(octets)
            case (.end(let trailers), .replaying): self.requestEnd(trailers)
            default: break
            }
        }
        // It was paused while the server was called.
        self.sink.setRequestPaused(false)
        return .undecided
    }

    /// The whole call has come.
    private func answerFromOld(_ incoming: IncomingRequest, _ relay: Relay) {
        let answer = self.session.answer(incoming, wantsWireForm: self.sink.takesWireForm)
        if case .miss = answer { return self.reportFailure(relay) }
        self.yieldToOld()
        self.replay(answer)
        self.sink.flush()
    }

    private func yieldToOld() {
        guard let fallen = self.fallen else { return }
        self.fallen = nil
        fallen.relay.yield()
        self.warnOfOld(fallen.failure)
    }

    private func reportFailure(_ relay: Relay) {
        self.fallen = nil
        self.phase = .relaying(relay)
        relay.report()
    }

    private func warnOfOld(_ failure: UpstreamFailure) {
        self.session.warn("\(failure.message) The old recording answered instead of a new one.")
    }

    /// - Parameters:
    ///   - body: the whole body, if it was collected.
    ///   - begun: what was collected of a body that goes on.
    private func relay(
        recording: Bool, body: (BodyCollector, HeaderList)? = nil, begun: ByteBuffer? = nil
    ) {
        var request = self.request
        // Frames are recorded as they are: without an extension, such as permessage-deflate, that would change them.
        if recording { request.head.headers.remove("sec-websocket-extensions") }
        let tap = recording ? RecordingTap(request: request, session: self.session, loop: self.loop) : nil
        let relay = Relay(request: request, sink: self.overriding ?? self.sink, loop: self.loop, tap: tap)
        relay.ownedSink = self.overriding
        self.phase = .relaying(relay)
        if request.asksForWebSocket {
            relay.switched = { [unowned self] socket, head in
                self.phase = .webSocket(socket)
                self.sink.switchProtocols(head)
            }
        }
        if recording, self.session.plan.fallsBackToOld {
            relay.fallback = { [unowned self, unowned relay] failure in self.answerFromOld(failure, relay) }
        }
        guard let (collector, trailers) = body else {
            relay.start()
            if let begun { relay.requestBody(begun) }
            return
        }
        switch collector.content {
        case .octets(let octets):
            relay.start()
            if octets.readableBytes > 0 { relay.requestBody(octets) }
            relay.requestEnd(trailers)
        case .file(let file): self.send(SpilledBody(file, eventLoop: self.loop.eventLoop), trailers, through: relay)
        case .lost(let reason): self.bodyLost(reason)
        }
    }

    /// A request body that was too large for memory while it was compared.
    private func send(_ body: SpilledBody, _ trailers: HeaderList, through relay: Relay) {
        body.body = { [weak relay] in relay?.requestBody($0) }
        body.end = { [weak self, weak relay] failure in
            guard let failure else {
                relay?.requestEnd(trailers)
                return
            }
            relay?.clientGone()
            self?.bodyLost("\(failure)")
            self?.sink.flush()
        }
        self.spilled = body
        relay.pausesRequest = { [weak body] in body?.setPaused($0) }
        relay.start()
        body.read()
    }

    private func bodyLost(_ reason: String) {
        self.answer(
            .error(
                status: 500,
                reason:
                    "The request body is over \(BodyCollector.limit >> 20) MiB and could not be kept in a temporary "
                    + "file while it was compared with recordings: \(reason). Make room in TMPDIR, or use --mode all."))
    }

    private func overrideValues() {
        let session = self.session
        self.overriding = OverridingSink(
            self.sink, overrides: session.options.overrides, request: self.request, eventLoop: self.loop.eventLoop
        ) { session.warn($0) }
    }

    private func miss(_ report: MissReport) {
        self.session.countMiss(report)
        switch self.loop.core.settings.missAction {
        case .close: self.sink.breakOff(reset: false)
        case .status(let status):
            self.answer(self.request.isGRPC ? MissResponse.gRPC(report) : MissResponse.make(report, status: status))
        }
    }

    private func answer(_ response: OwnResponse) {
        self.phase = .done
        self.sink.head(response.head, framing: .length(response.body.readableBytes))
        self.sink.body(response.body)
        self.sink.end(trailers: HeaderList())
    }
}

@available(*, unavailable)
extension ExchangePipeline: Sendable {}
