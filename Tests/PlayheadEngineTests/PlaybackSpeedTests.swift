import PlayheadEngine
import Testing

struct PlaybackSpeedTests {
    @Test func readsTheThreeForms() {
        #expect(PlaybackSpeed.parse("instant") == .instant)
        #expect(PlaybackSpeed.parse("recorded") == .recorded)
        #expect(PlaybackSpeed.parse("x10")?.factor == 10)
        #expect(PlaybackSpeed.parse("x0.5")?.factor == 0.5)
    }

    @Test(arguments: ["", "fast", "10", "x", "x0", "x-1", "xnan", "xinf", "x1e9", "X10"])
    func refusesWhatIsNoSpeed(_ text: String) {
        #expect(PlaybackSpeed.parse(text) == nil)
    }

    @Test func dividesTheRecordedTime() {
        #expect(PlaybackSpeed.instant.nanoseconds(after: 500) == 0)
        #expect(PlaybackSpeed.recorded.nanoseconds(after: 500) == 500_000_000)
        #expect(PlaybackSpeed.parse("x10")?.nanoseconds(after: 500) == 50_000_000)
    }

    @Test func survivesTimesThatNobodyRecorded() {
        #expect(PlaybackSpeed.parse("x0.001")?.nanoseconds(after: .max) == 604_800_000_000_000)
        #expect(PlaybackSpeed.recorded.nanoseconds(after: .min) == 0)
    }
}
