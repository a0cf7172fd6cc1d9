import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

@testable import PlayheadEngine

/// The index finds what a look at every recording finds, and nothing else.
struct RequestKeyTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (self.state ^ (self.state >> 29)) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private static func pick(_ texts: [String], _ dice: inout Dice) -> String {
        texts.randomElement(using: &dice) ?? ""
    }

    private static func url(_ dice: inout Dice, isRecorded: Bool) -> String {
        let secret = isRecorded ? ["[REDACTED:token#1]"] : []
        let path = Self.pick(["/a", "/%61", "/a/", "/a%2Fb", "/a%2fb", "/"] + secret.map { "/\($0)" }, &dice)
        let names = ["a", "%61", "b", "ts", "", "sig"]
        let values = ["1", "%31", "", "2", "a+b", "a%20b"] + secret
        let pairs = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
            Self.pick(names, &dice) + Self.pick(["=", "=", ""], &dice) + Self.pick(values, &dice)
        }
        let query = pairs.isEmpty ? Self.pick(["", "", "?", "?&"], &dice) : "?" + pairs.joined(separator: "&")
        return Self.pick(["https://a.test", "https://A.test:443", "http://a.test", "https://b.test:8443"], &dice) + path
            + query
    }

    private static func body(_ dice: inout Dice, isRecorded: Bool) -> (type: String, text: String) {
        switch Int.random(in: 0...4, using: &dice) {
        case 0: return ("application/json", "")
        case 1:
            return (
                "application/json",
                Self.pick([#"{"a":1,"ts":2}"#, #"{"ts":3,"a":1}"#, #"{"a":1}"#, #"{"a":2}"#], &dice)
            )
        case 2:
            return (
                "application/x-www-form-urlencoded", Self.pick(["a=1&ts=2", "ts=5&a=%31", "a=1", "a=2", "ts=1"], &dice)
            )
        case 3: return ("text/plain", Self.pick(["one", "two"], &dice))
        default: return ("application/json", isRecorded ? #"{"a":"[REDACTED:x#1]"}"# : #"{"a":"y"}"#)
        }
    }

    /// A request like a recorded one, spelled in another way; or any other.
    private static func wanted(_ recorded: Exchange, _ dice: inout Dice) throws -> IncomingRequest {
        let (type, text) = Self.body(&dice, isRecorded: false)
        var url = recorded.request.url.replacing("[REDACTED:token#1]", with: "x%20y")
        var method = recorded.request.method
        switch Int.random(in: 0...5, using: &dice) {
        case 0: url += (url.contains("?") ? "&" : "?") + "ts=9"
        case 1: url = url.replacing("%61", with: "a").replacing("A.test:443", with: "a.test")
        case 2: url = url.replacing("a=1", with: "%61=%31")
        case 3: method = Self.pick(["GET", "POST"], &dice)
        case 4: url = Self.url(&dice, isRecorded: false)
        default: break
        }
        return try request(
            url, method: method, headers: [("Accept", Self.pick(["a/b", "c/d"], &dice)), ("Content-Type", type)],
            body: text.isEmpty ? nil : text)
    }

    @Test(arguments: [
        "default", "method,path,query", "uri", "method,uri", "host,path", "query", "default,body", "method,body",
        "default,headers(accept)",
    ])
    func theIndexFindsWhatAScanFinds(list: String) throws {
        var rules = try MatchRules.parse(list: list)
        rules.ignoredQuery = ["ts"]
        rules.ignoredJSONPaths = ["ts"]
        rules.ignoredFormKeys = ["ts"]
        let comparison = RequestComparison(rules: rules)
        var dice = Dice(state: UInt64(list.utf8.count) &* 7919)
        var hits = 0
        for _ in 0..<80 {
            let recordings = (0..<Int.random(in: 1...5, using: &dice)).map { _ in
                let (type, text) = Self.body(&dice, isRecorded: true)
                return exchange(
                    Self.url(&dice, isRecorded: true), method: Self.pick(["GET", "POST"], &dice),
                    headers: [("Accept", Self.pick(["a/b", "c/d"], &dice)), ("Content-Type", type)],
                    body: text.isEmpty ? nil : text)
            }
            let wanted = try Self.wanted(recordings[0], &dice)
            let body = ComparableBody(wanted)
            let matching = recordings.filter { recording in
                comparison.differences(
                    wanted, body: body, target: RecordedTarget(recording.request), exchange: recording
                ).differences.isEmpty
            }
            var playback = Playback(exchanges: recordings, rules: rules)
            let found = playback.position(wanted).map { recordings[$0] }
            let isRight = found.map { matching.contains($0) } ?? matching.isEmpty
            #expect(isRight, "\(wanted) among \(recordings.map(\.request)): \(matching.count) match")
            hits += matching.isEmpty ? 0 : 1
        }
        #expect(hits > 5, "too few of them match to say anything: \(hits)")
    }
}
