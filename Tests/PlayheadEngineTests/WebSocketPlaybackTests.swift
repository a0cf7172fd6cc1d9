import NIOCore
import PlayheadCassette
import Testing

@testable import PlayheadEngine

@Suite struct WebSocketPlaybackTests {
    private static func frame(
        _ sender: RecordedWebSocket.Sender, _ text: String, at: Int = 0
    ) -> RecordedWebSocket.Frame {
        RecordedWebSocket.Frame(sender, at: at, .text, payload: RecordedBody(.octets(ByteBuffer(string: text))))
    }

    private static func playback(
        _ rule: WebSocketRule, speed: PlaybackSpeed = .instant
    ) -> WebSocketPlayback {
        let frames = [
            Self.frame(.server, "welcome", at: 10), Self.frame(.client, "a", at: 20), Self.frame(.server, "b", at: 50),
            Self.frame(.server, "c", at: 60),
        ]
        return WebSocketPlayback(
            RecordedWebSocket(response: RecordedResponse(status: 101), frames: frames), rule: rule, rules: MatchRules(),
            speed: speed, openedAt: 0)
    }

    private static func say(
        _ text: String, to playback: inout WebSocketPlayback, at now: Int64 = 0
    ) -> [Difference] {
        playback.receive(.text, ByteBuffer(string: text), at: now)
    }

    @Test func waitsForTheClientWhereTheServerDidThen() {
        var playback = Self.playback(.strict)
        #expect(playback.step(at: 0) == .send(0))
        #expect(playback.step(at: 0) == .listen)
        #expect(Self.say("a", to: &playback).isEmpty)
        #expect(playback.step(at: 0) == .send(2))
        #expect(!playback.isPlayed)
        #expect(playback.step(at: 0) == .send(3))
        #expect(playback.step(at: 0) == .done)
        #expect(playback.isPlayed)
    }

    @Test func keepsTheDistanceToTheMessageThatWasAnswered() {
        var playback = Self.playback(.strict, speed: .recorded)
        #expect(playback.step(at: 0) == .wait(until: 10_000_000))
        #expect(playback.step(at: 10_000_000) == .send(0))
        // The client takes its time; the answer came 30 ms after its message.
        #expect(Self.say("a", to: &playback, at: 500_000_000).isEmpty)
        #expect(playback.step(at: 500_000_000) == .wait(until: 530_000_000))
        #expect(playback.step(at: 530_000_000) == .send(2))
        #expect(playback.step(at: 530_000_000) == .wait(until: 540_000_000))
    }

    @Test func saysWhatIsDifferentAndWhatIsTooMuch() {
        var playback = Self.playback(.strict)
        #expect(Self.say("x", to: &playback).map(\.sentence) == [#"message 1: recorded "a", requested "x""#])
        #expect(Self.say("a", to: &playback).isEmpty)
        #expect(Self.say("a", to: &playback).count == 1)
    }

    /// A client may talk for days.
    @Test func lenientRemembersNoMoreMessagesThanWereRecorded() {
        var playback = Self.playback(.lenient)
        for _ in 0..<1000 { #expect(Self.say("anything", to: &playback).isEmpty) }
        #expect(playback.arrivals.count == 1)
        #expect([playback.step(at: 0), playback.step(at: 0), playback.step(at: 0)] == [.send(0), .send(2), .send(3)])
        #expect(playback.isPlayed)
    }
}
