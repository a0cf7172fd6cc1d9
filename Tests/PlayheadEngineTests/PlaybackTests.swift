import PlayheadCassette
import PlayheadEngine
import Testing

struct PlaybackTests {
    private func playback(
        _ exchanges: [Exchange], _ rules: MatchRules = .standard, repeats: Repeats = .none
    ) -> Playback {
        Playback(exchanges: exchanges, rules: rules, repeats: repeats)
    }

    @Test func playsEachExchangeOnceInRecordedOrder() throws {
        var playback = self.playback([
            exchange("https://a.test/x"), exchange("https://a.test/y"), exchange("https://a.test/x"),
        ])
        #expect(playback.position(try request("https://a.test/x")) == 0)
        #expect(playback.position(try request("https://a.test/x")) == 2)
        #expect(playback.position(try request("https://a.test/x")) == nil)
        #expect(playback.position(try request("https://a.test/y")) == 1)
    }

    @Test func saysAlreadyPlayedWhenExhausted() throws {
        var playback = self.playback([exchange("https://a.test/x")])
        _ = playback.take(try request("https://a.test/other"))
        _ = playback.take(try request("https://a.test/x"))
        let miss = try #require(playback.miss(try request("https://a.test/x")))
        #expect(miss.reason == .exhausted)
        #expect(miss.nearest.first?.alreadyPlayedAt == 2)
        #expect(miss.text().contains("already played at #2"))
        #expect(miss.suggestedRule == "--repeats last")
    }

    @Test func prefersTheRecordingWithTheSameBody() throws {
        var playback = self.playback([
            exchange("https://a.test/x", method: "POST", body: "one"),
            exchange("https://a.test/x", method: "POST", body: "two"),
            exchange("https://a.test/x", method: "POST", body: "three"),
        ])
        #expect(playback.needsBody(try request("https://a.test/x", method: "POST")))
        #expect(playback.position(try request("https://a.test/x", method: "POST", body: "three")) == 2)
        #expect(playback.position(try request("https://a.test/x", method: "POST", body: "two")) == 1)
        #expect(playback.position(try request("https://a.test/x", method: "POST", body: "unknown")) == 0)
    }

    @Test func prefersTheRecordingWithTheSameChosenHeaders() throws {
        var playback = self.playback([
            exchange("https://a.test/x", headers: [("Accept", "text/html")]),
            exchange("https://a.test/x", headers: [("Accept", "application/json")]),
        ])
        #expect(!playback.needsBody(try request("https://a.test/x")))
        #expect(playback.position(try request("https://a.test/x", headers: [("accept", "application/json")])) == 1)
        #expect(playback.position(try request("https://a.test/x", headers: [("accept", "application/json")])) == 0)
    }

    @Test func theBodyWeighsMoreThanTheHeaders() throws {
        var playback = self.playback([
            exchange("https://a.test/x", method: "POST", headers: [("Accept", "a")], body: "one"),
            exchange("https://a.test/x", method: "POST", headers: [("Accept", "b")], body: "two"),
            exchange("https://a.test/x", method: "POST", headers: [("Accept", "a")], body: "two"),
        ])
        let wanted = try request("https://a.test/x", method: "POST", headers: [("Accept", "a")], body: "two")
        #expect(playback.position(wanted) == 2)
        #expect(playback.position(wanted) == 1)
        #expect(playback.position(wanted) == 0)
    }

    @Test func theLastAnswerSticks() throws {
        var playback = self.playback(
            [exchange("https://a.test/x"), exchange("https://a.test/x"), exchange("https://a.test/y")], repeats: .last)
        let wanted = try request("https://a.test/x")
        #expect((0..<5).map { _ in playback.position(wanted) } == [0, 1, 1, 1, 1])
        #expect((0..<2).map { _ in playback.position(try! request("https://a.test/y")) } == [2, 2])
    }

    @Test func cyclesFromTheBeginning() throws {
        var playback = self.playback(
            [exchange("https://a.test/x"), exchange("https://a.test/x"), exchange("https://a.test/x")], repeats: .cycle)
        let wanted = try request("https://a.test/x")
        #expect((0..<8).map { _ in playback.position(wanted) } == [0, 1, 2, 0, 1, 2, 0, 1])
    }

    @Test func aClientAbortGivesTheExchangeBack() throws {
        for repeats in Repeats.allCases {
            var playback = self.playback(
                [exchange("https://a.test/x"), exchange("https://a.test/x")], repeats: repeats)
            let wanted = try request("https://a.test/x")
            #expect(playback.position(wanted) == 0)
            #expect(playback.position(wanted) == 1)
            playback.giveBack(index: 0)
            #expect(playback.playCounts == [0, 0])
            #expect(playback.position(wanted) == 0)
            playback.completed(index: 0)
            #expect(playback.playCounts == [1, 0])
            #expect(playback.unused == [1])
        }
    }

    @Test func anExchangeGivenBackInALaterRoundIsNext() throws {
        var playback = self.playback([exchange("https://a.test/x"), exchange("https://a.test/x")], repeats: .cycle)
        let wanted = try request("https://a.test/x")
        #expect((0..<4).map { _ in playback.position(wanted) } == [0, 1, 0, 1])
        playback.giveBack(index: 1)
        #expect(playback.position(wanted) == 1)
        #expect(playback.position(wanted) == 0)
    }

    @Test func countsAPlayOnlyWhenItIsComplete() throws {
        var playback = self.playback([exchange("https://a.test/x")])
        #expect(playback.position(try request("https://a.test/x")) == 0)
        #expect(!playback.allPlayed)
        playback.completed(index: 0)
        #expect(playback.allPlayed)
        playback.rewind()
        #expect(!playback.allPlayed)
        #expect(playback.playCounts == [0])
        #expect(playback.position(try request("https://a.test/x")) == 0)
    }

    @Test func aCopyDoesNotShareWhatWasPlayed() throws {
        var first = self.playback([exchange("https://a.test/x")])
        var second = first
        #expect(first.position(try request("https://a.test/x")) == 0)
        #expect(second.position(try request("https://a.test/x")) == 0)
    }

    @Test func knowsCandidatesByTheHeadAlone() throws {
        let playback = self.playback([exchange("https://a.test/x", method: "POST", body: "one")])
        #expect(playback.hasCandidates(try request("https://a.test/x", method: "POST")))
        #expect(!playback.hasCandidates(try request("https://a.test/x")))
        #expect(!playback.needsBody(try request("https://a.test/x", method: "POST")))
    }

    @Test func emptyCassetteSaysSo() throws {
        var playback = self.playback([])
        #expect(playback.miss(try request("https://a.test/"))?.reason == .cassetteEmpty)
        #expect(playback.allPlayed)
    }

    @Test func aHundredThousandExchangesOfOneKeyPlayInOrderWithoutAScan() throws {
        let count = 100_000
        var playback = self.playback((0..<count).map { exchange("https://a.test/poll", id: "\($0)") })
        let wanted = try request("https://a.test/poll")
        // A scan from the beginning would compare five thousand million times.
        for position in 0..<count {
            guard playback.position(wanted) == position else {
                Issue.record("request \(position) got another exchange")
                return
            }
        }
        #expect(playback.position(wanted) == nil)
    }

    @Test func aHundredThousandBodiesOfOneKeyAreFoundByHash() throws {
        let count = 100_000
        var playback = self.playback(
            (0..<count).map { exchange("https://a.test/rpc", method: "POST", body: "body \($0)", id: "\($0)") })
        for position in stride(from: count - 1, through: 0, by: -1) {
            let wanted = try request("https://a.test/rpc", method: "POST", body: "body \(position)")
            guard playback.position(wanted) == position else {
                Issue.record("body \(position) got another exchange")
                return
            }
        }
    }
}
