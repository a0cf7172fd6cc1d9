import NIOCore
import PlayheadHTTP

/// A mock or a fault on its way to the client: waits for the request's end and for its delay, then acts.
///
/// A mock lets the request's body pass by. A delayed request that goes its usual way afterwards keeps its body in the
/// socket meanwhile, but for what was read already.
final class StagedAnswer {
    private let action: StagedAction
    private let loop: ProxyLoop
    private unowned let sink: any ResponseSink
    /// Called after a delay when the request is to go its usual way.
    var proceed: () -> Void = {}
    private var waitsForEnd: Bool
    private var waitsForTime = false
    private var timer: Scheduled<Void>?
    private var isDone = false
    /// What came of a delayed request's body; it follows when the request goes on.
    private var held: [ByteBuffer] = []
    private var heldEnd: HeaderList?

    init(_ action: StagedAction, hasBody: Bool, sink: any ResponseSink, loop: ProxyLoop) {
        self.action = action
        self.loop = loop
        self.sink = sink
        self.waitsForEnd = hasBody
    }

    func start(expectsContinue: Bool) {
        switch self.action {
        case .mock(let rule):
            if self.waitsForEnd, expectsContinue {
                self.sink.informational(ResponseHead(status: 100, reason: "Continue"))
            }
            self.wait(rule.delay)
        case .fault(let rule):
            // Only an error status is an answer that the client may read.
            if rule.kind != .status { self.waitsForEnd = false }
            switch rule.kind {
            case .hang: self.sink.setPaced(true)
            case .delay:
                self.sink.setRequestPaused(true)
                self.wait(rule.delay)
            case .status, .close, .reset: self.wait(rule.delay)
            }
        }
    }

    func requestBody(_ octets: ByteBuffer) {
        if case .fault(let rule) = self.action, rule.kind == .delay { self.held.append(octets) }
    }

    func requestEnd(_ trailers: HeaderList) {
        self.heldEnd = trailers
        self.waitsForEnd = false
        self.go()
    }

    /// The client is gone, and the sink must not be touched any more.
    func clientGone() {
        self.isDone = true
        self.timer?.cancel()
    }

    private func wait(_ milliseconds: Int) {
        guard milliseconds > 0 else { return self.go() }
        self.waitsForTime = true
        self.sink.setPaced(true)
        let bound = NIOLoopBound(self, eventLoop: self.loop.eventLoop)
        self.timer = self.loop.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            bound.value.timePassed()
        }
    }

    private func timePassed() {
        guard !self.isDone else { return }
        // An answer ends the exchange, and with it what refers to the sink.
        let sink = self.sink
        self.waitsForTime = false
        sink.setPaced(false)
        self.go()
        sink.flush()
    }

    private func go() {
        guard !self.isDone, !self.waitsForEnd, !self.waitsForTime else { return }
        switch self.action {
        case .mock(let rule):
            self.isDone = true
            self.answer(rule)
        case .fault(let rule):
            switch rule.kind {
            case .status:
                self.isDone = true
                self.answer(
                    .error(
                        status: rule.status, reason: "This fault was set through the admin API.",
                        proxyStatus: "details=\"fault\""))
            case .close, .reset:
                self.isDone = true
                self.sink.breakOff(reset: rule.kind == .reset)
            case .delay: self.goOn()
            case .hang: break
            }
        }
    }

    /// The request goes its usual way: what is waiting of it is read first, since the way may pause it again.
    private func goOn() {
        self.waitsForTime = true
        self.sink.setRequestPaused(false)
        self.waitsForTime = false
        guard !self.isDone else { return }
        self.isDone = true
        self.proceed()
    }

    /// What came of the request while it waited.
    func takeHeld() -> (body: [ByteBuffer], end: HeaderList?) {
        defer { self.held = [] }
        return (self.held, self.heldEnd)
    }

    private func answer(_ rule: MockRule) {
        var response = OwnResponse(status: rule.status, headers: rule.headers, body: rule.body)
        // RFC 9110 section 8.6: no length where no body may be.
        if rule.status == 204 { response.head.headers.remove("content-length") }
        self.answer(response)
    }

    private func answer(_ response: OwnResponse) {
        self.sink.head(response.head, framing: .length(response.body.readableBytes))
        self.sink.body(response.body)
        self.sink.end(trailers: HeaderList())
    }
}

@available(*, unavailable)
extension StagedAnswer: Sendable {}
