import Foundation

/// The harness could not do its part; the text says what to do.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Asks again and again until there is an answer; throws past the deadline.
@discardableResult
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(60), _ probe: () throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try probe() { return value }
        if ContinuousClock.now > deadline { throw HarnessError("after \(limit) still waiting for: \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Bounds how many scenarios run at once: each starts several programs, and small machines have two cores.
actor Slots {
    static let shared = Slots(max(3, ProcessInfo.processInfo.activeProcessorCount))

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { self.free = count }

    func take() async {
        if self.free > 0 {
            self.free -= 1
        } else {
            await withCheckedContinuation { self.waiting.append($0) }
        }
    }

    func giveBack() {
        if self.waiting.isEmpty { self.free += 1 } else { self.waiting.removeFirst().resume() }
    }
}
