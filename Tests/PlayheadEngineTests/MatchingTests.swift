import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

struct MatchingTests {
    /// Whether a recording answers a request when only `list` is required.
    private func matches(
        _ list: String, _ recorded: Exchange, _ wanted: IncomingRequest, change: (inout MatchRules) -> Void = { _ in }
    ) throws -> Bool {
        var rules = try MatchRules.parse(list: list)
        change(&rules)
        var playback = Playback(exchanges: [recorded], rules: rules)
        let isHit = playback.position(wanted) == 0
        #expect(playback.index(wanted, rules, recorded) == isHit, "the index and the merge must agree")
        return isHit
    }

    private func post(
        _ body: String, _ type: String? = nil, method: String = "POST"
    ) -> (recorded: Exchange, wanted: IncomingRequest) {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let url = "https://a.test/x"
        return (
            exchange(url, method: method, headers: headers, body: body),
            try! request(url, method: method, headers: headers, body: body)
        )
    }

    @Test(arguments: [
        ("method", "https://a.test/x", "http://b.test:1/y?z", true),
        ("scheme", "https://a.test/x", "https://b.test/", true),
        ("scheme", "https://a.test/x", "http://a.test:443/x", false),
        ("host", "https://a.test/x", "https://A.Test./y", true),
        ("host", "https://a.test/x", "https://b.test/x", false),
        ("port", "https://a.test/x", "https://b.test:443/", true),
        ("port", "https://a.test/x", "http://a.test/x", false),
        ("path", "https://a.test/a%20b/%7Ejoe", "https://b.test/a%20b/~joe?x=1", true),
        ("path", "https://a.test/a%2Fb", "https://a.test/a/b", false),
        ("path", "https://a.test/a%2fb", "https://a.test/a%2Fb", true),
        ("path", "https://a.test/%2541", "https://a.test/A", false),
        ("path", "https://a.test", "https://a.test/", true),
        ("query", "https://a.test/?a=1&b=2", "https://b.test/x?b=2&a=1", true),
        ("query", "https://a.test/?a=1&a=2", "https://a.test/?a=2&a=1", false),
        ("query", "https://a.test/?a=1&b=2&a=3", "https://a.test/?b=2&a=1&a=3", true),
        ("query", "https://a.test/?a=", "https://a.test/?a", true),
        ("query", "https://a.test/?a=", "https://a.test/", false),
        ("query", "https://a.test/?a=1", "https://a.test/?a=1&b=", false),
        ("query", "https://a.test/?q=a%20b", "https://a.test/?q=a+b", true),
        ("query", "https://a.test/?q=a%2Bb", "https://a.test/?q=a+b", false),
        ("query", "https://a.test/?", "https://a.test/", true),
        ("query", "https://a.test/?a=1&b=1", "https://a.test/?a=1&a=1", false),
        ("uri", "https://a.test/x?a=1&b=2", "https://a.test/x?a=1&b=2", true),
        ("uri", "https://a.test/x?a=1&b=2", "https://a.test/x?b=2&a=1", false),
        ("uri", "https://a.test/x", "https://a.test:8443/x", false),
        ("uri", "https://a.test/~x", "https://a.test/%7Ex", false),
    ])
    func comparesPartsOfTheURL(list: String, recorded: String, wanted: String, isMatch: Bool) throws {
        #expect(try matches(list, exchange(recorded), request(wanted)) == isMatch)
    }

    @Test func comparesTheMethod() throws {
        #expect(try !matches("method", exchange("https://a.test/"), request("https://a.test/", method: "HEAD")))
    }

    @Test func comparesAllHeadersButTheVolatileOnes() throws {
        let recorded = exchange(
            "https://a.test/", headers: [("User-Agent", "a/1"), ("X-One", "1"), ("X-Two", "2"), ("X-Two", "3")])
        let same = try request(
            "https://a.test/", headers: [("x-two", "2"), ("X-One", "1"), ("x-two", "3"), ("user-agent", "b/2")])
        let swapped = try request("https://a.test/", headers: [("x-two", "3"), ("X-One", "1"), ("x-two", "2")])
        let more = try request(
            "https://a.test/", headers: [("x-two", "2"), ("X-One", "1"), ("x-two", "3"), ("x-three", "4")])
        #expect(try matches("headers", recorded, same))
        #expect(try !matches("headers", recorded, swapped))
        #expect(try !matches("headers", recorded, more))
        #expect(try matches("headers(x-one)", recorded, more))
        #expect(try matches("headers", recorded, more) { $0.ignoredHeaders = ["x-three"] })
    }

    @Test func comparesJSONByValue() throws {
        let recorded = post(#"{"a":1,"b":[1,2],"c":{"d":"e"}}"#, "application/json").recorded
        #expect(
            try matches(
                "body", recorded, post(#"{ "c":{"d":"\u0065"}, "b":[1.0,2], "a":1e0 }"#, "application/json").wanted))
        #expect(try !matches("body", recorded, post(#"{"a":1,"b":[2,1],"c":{"d":"e"}}"#, "application/json").wanted))
        #expect(
            try !matches(
                "body", recorded, post(#"{"a":1,"b":[1,2],"c":{"d":"e"},"f":null}"#, "application/json").wanted))
    }

    @Test func leavesOutIgnoredJSONPaths() throws {
        let recorded = post(#"{"at":1,"items":[{"id":1,"x":1},{"id":2,"x":2}]}"#, "application/json").recorded
        let wanted = post(#"{"at":2,"items":[{"id":3,"x":1},{"x":2}]}"#, "application/json").wanted
        #expect(try !matches("body", recorded, wanted))
        #expect(
            try matches("body", recorded, wanted) {
                $0.ignoredJSONPaths = ["$.at", "$.items[*].id"]
            })
        #expect(
            try matches("body", recorded, wanted) {
                $0.ignoredJSONPaths = ["at", "$..id"]
            })
        #expect(
            try !matches("body", recorded, wanted) {
                $0.ignoredJSONPaths = ["$.at", "$.items[0].id"]
            })
    }

    @Test(arguments: ["$.", "$[", "$['a]", "$[?(@.x)]", "$[-1]", "a b", "", "$[1:2]", "$a"])
    func refusesJSONPath(text: String) {
        #expect(throws: EngineError.self) { try JSONPathPattern(text) }
        #expect(throws: EngineError.self) { try MatchRules(ignoredJSONPaths: ["$.a", text]).validate() }
    }

    @Test func comparesFormsByNameAndValue() throws {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        let recorded = post("a=1&b=x+y&a=2", type).recorded
        #expect(try matches("body", recorded, post("b=x%20y&a=1&a=2", type).wanted))
        #expect(try !matches("body", recorded, post("b=x%20y&a=2&a=1", type).wanted))
        #expect(try !matches("body", recorded, post("b=z&a=1&a=2", type).wanted))
        #expect(try matches("body", recorded, post("b=z&a=1&a=2", type).wanted) { $0.ignoredFormKeys = ["b"] })
    }

    @Test func comparesMultipartWhateverTheBoundary() throws {
        func multipart(_ boundary: String, _ value: String) -> (recorded: Exchange, wanted: IncomingRequest) {
            post(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(value)\r\n"
                    + "--\(boundary)\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n"
                    + "Content-Type: application/json\r\n\r\n{\"x\":1, \"y\":2}\r\n--\(boundary)--\r\n",
                "multipart/form-data; boundary=\(boundary)")
        }
        let recorded = multipart("one", "1").recorded
        #expect(try matches("body", recorded, multipart("another", "1").wanted))
        #expect(try !matches("body", recorded, multipart("another", "2").wanted))
        #expect(try matches("body", recorded, multipart("another", "2").wanted) { $0.ignoredFormKeys = ["a"] })
    }

    @Test func comparesTextAsOctetsAndTakesNoBodyForEmpty() throws {
        #expect(try matches("body", post("abc").recorded, post("abc").wanted))
        #expect(try !matches("body", post("abc").recorded, post("abd").wanted))
        #expect(try matches("body", exchange("https://a.test/x", method: "POST"), post("").wanted))
        #expect(try !matches("raw_body", post(#"{"a":1}"#).recorded, post(#"{"a": 1}"#).wanted))
        #expect(try matches("raw_body", post(#"{"a":1}"#).recorded, post(#"{"a":1}"#).wanted))
    }

    @Test func comparesABodyThatIsOnlyKnownByItsDigest() throws {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        var recorded = post("", "text/plain").recorded
        recorded.request.body = RecordedBody(
            .file(SideFileReference(name: "\(digest).txt", length: 3, sha256: digest)))
        #expect(try matches("body", recorded, post("abc", "text/plain").wanted))
        #expect(try !matches("body", recorded, post("abd", "text/plain").wanted))
        var big = post("", "text/plain").wanted
        big.body = .hashed(sha256: digest, length: 3)
        #expect(try matches("body", recorded, big))
        #expect(try matches("body", post("abc", "text/plain").recorded, big))
        #expect(try !matches("body", post("abd", "text/plain").recorded, big))
        var playback = Playback(exchanges: [post("abd", "text/plain").recorded, recorded], rules: .standard)
        #expect(playback.position(post("abc", "text/plain").wanted) == 1)
    }

    @Test func leavesOutIgnoredQueryNames() throws {
        let recorded = exchange("https://a.test/x?ts=1&q=a")
        let wanted = try request("https://a.test/x?q=a&ts=2&ts=3")
        #expect(try !matches("path,query", recorded, wanted))
        #expect(try matches("path,query", recorded, wanted) { $0.ignoredQuery = ["ts"] })
        #expect(try matches("uri", recorded, request("https://a.test/x?ts=9&q=a")) { $0.ignoredQuery = ["ts"] })
    }

    @Test func aQueryOfIgnoredNamesIsNoQuery() throws {
        for (recorded, wanted) in [("", "?ts=1"), ("?ts=1", ""), ("?q=1", "?ts=2&q=1")] {
            let recorded = exchange("https://a.test/x\(recorded)")
            let wanted = try request("https://a.test/x\(wanted)")
            #expect(try matches("path,query", recorded, wanted) { $0.ignoredQuery = ["ts"] })
            #expect(try !matches("path,query", recorded, wanted))
        }
    }

    @Test func theBoundaryOfAMultipartBodyIsNoDifference() throws {
        func upload(_ type: String) throws -> (Exchange, IncomingRequest) {
            (
                exchange("https://a.test/x", method: "POST", headers: [("Content-Type", type)]),
                try request("https://a.test/x", method: "POST", headers: [("content-type", type)])
            )
        }
        let (recorded, _) = try upload("multipart/form-data; boundary=one")
        for type in ["multipart/form-data; boundary=two", "multipart/form-data; Boundary=\"t w o\""] {
            #expect(try matches("headers", recorded, upload(type).1))
            #expect(try matches("headers(content-type)", recorded, upload(type).1))
        }
        for type in ["multipart/mixed; boundary=one", "multipart/form-data; boundary=one; charset=utf-8"] {
            #expect(try !matches("headers", recorded, upload(type).1))
        }
    }

    @Test func customMatchersHaveTheirSay() throws {
        let even = try CustomMatcher(name: "even") { request, _ in request.pathAndQuery.utf8.count % 2 == 0 }
        let rules = try MatchRules.parse(list: "method,even", customMatchers: [even])
        var playback = Playback(exchanges: [exchange("https://a.test/x")], rules: rules)
        let miss = try #require(playback.miss(try request("https://a.test/yy")))
        #expect(miss.nearest.first?.differences.map(\.name) == ["matcher even"])
        #expect(playback.position(try request("https://a.test/y")) == 0)
        #expect(throws: EngineError.self) { try MatchRules.parse(list: "method,even") }
    }

    @Test(
        arguments: Matcher.names + [
            "url", "raw-body", "default", "method_uri", "method_uri_body", "headers(accept)", "headers:accept", "",
            "a,b", " a",
        ])
    func aCustomMatcherNeverTakesTheNameOfADefaultOne(_ name: String) {
        let error = #expect(throws: EngineError.self) { try CustomMatcher(name: name) { _, _ in true } }
        #expect(error?.message.contains("choose") == true)
    }

    @Test func readsListsAndNamedSets() throws {
        #expect(try MatchRules.parse(list: "method, path ,query").required == [.method, .path, .query])
        #expect(try MatchRules.parse(list: "default").required == MatchRules.standard.required)
        #expect(try MatchRules.parse(list: "method_uri_body").required == [.method, .uri, .body])
        #expect(try MatchRules.parse(list: "method_uri_headers").required == [.method, .uri, .headers(nil)])
        #expect(
            try MatchRules.parse(list: "headers(Accept content-type)").required == [
                .headers(["accept", "content-type"])
            ])
        #expect(try MatchRules.parse(list: "headers(accept)").list == ["headers(accept)"])
        for bad in ["", "methods", "headers()", "method,,x"] {
            #expect(throws: EngineError.self) { try MatchRules.parse(list: bad) }
        }
    }

    @Test func redactedBodiesMatchAnySecret() throws {
        let recorded = [
            exchange(
                "https://a.test/x", method: "POST", headers: [("Content-Type", "application/json")],
                body: #"{"u":"ann","password":"[REDACTED:password#1]"}"#),
            exchange(
                "https://a.test/x", method: "POST", headers: [("Content-Type", "application/json")],
                body: #"{"u":"bob","password":"[REDACTED:password#2]"}"#),
        ]
        for rules in [MatchRules.standard, try MatchRules.parse(list: "method,path,body")] {
            var playback = Playback(exchanges: recorded, rules: rules)
            let bob = try request(
                "https://a.test/x", method: "POST", headers: [("Content-Type", "application/json")],
                body: #"{"password":"other","u":"bob"}"#)
            #expect(playback.position(bob) == 1)
        }
    }
}

extension Playback {
    /// Whether the same question put to a merge has the same answer.
    fileprivate func index(_ request: IncomingRequest, _ rules: MatchRules, _ recorded: Exchange) -> Bool {
        let plan = SessionPlan.decide(
            mode: .all, cassetteExists: true, exchangeCount: 1, oldest: nil, now: Timestamp(milliseconds: 0),
            reRecordAfter: nil)
        var merge = KeptExchanges(plan: plan, rules: rules, old: [recorded])
        merge.noteRecorded(request)
        return merge.kept(playCounts: [0]).isEmpty
    }
}
