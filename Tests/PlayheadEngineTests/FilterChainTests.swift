import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import Testing

struct FilterChainTests {
    private static let json = [("Content-Type", "application/json")]

    private func chain(_ change: (inout FilterChain) throws -> Void) rethrows -> FilterChain {
        var chain = FilterChain()
        try change(&chain)
        return chain
    }

    private func body(_ text: String, _ rules: [FilterChain.Rule], type: String = "application/json") throws -> String {
        var filters = FilterChain()
        filters.responseBody = try BodyFilter(rules)
        return octets(
            filters.filtered(exchange("https://a.test/", answer: text, answerHeaders: [("Content-Type", type)]))
                .response.body)
    }

    @Test func anEmptyChainChangesNothing() throws {
        let recorded = exchange("https://u@A.test/p?q=%41", method: "POST", headers: [("Host", "A.test")], body: "{}")
        #expect(FilterChain().filtered(recorded) == recorded)
        #expect(FilterChain().isEmpty)
        let asked = try request("https://a.test/?x=1")
        #expect(FilterChain().filtered(asked) == asked)
    }

    @Test func whatIsStoredAndWhatIsAskedMeet() throws {
        let filters = try chain {
            $0.hosts = [(try HostPattern("*.staging.test"), "api.test")]
            $0.path = [.init("/users/4711", .replace("/users/1"))]
            $0.query = [.init("session", .replace("S")), .init("utm", .remove)]
            $0.requestHeaders = [.init("x-tenant", .replace("t")), .init("User-Agent", .remove)]
            $0.requestBody = try BodyFilter([.init("$.user.email", .replace("ann@a.test")), .init("nonce", .remove)])
            $0.text = [.init("Alice", .replace("Ann"))]
            $0.patterns = [try TextPattern("id-([0-9]+)-x", replacement: "id-N-$1$$")]
        }
        func sent(_ host: String, _ user: String, _ session: String, _ number: String) -> Exchange {
            exchange(
                "https://\(host)/users/\(user)/Alice?a=1&session=\(session)&utm=x", method: "POST",
                headers: [("Host", host), ("X-Tenant", session), ("User-Agent", number), ("X-Id", "id-7-x")]
                    + Self.json,
                body: #"{"nonce": "\#(number)", "user": {"email":"\#(number)@b.test", "n":1}, "nonce2":[1]}"#)
        }
        let stored = filters.filtered(sent("eu.staging.test", "4711", "abc", "1"))
        #expect(stored.request.url == "https://api.test/users/1/Ann?a=1&session=S")
        #expect(
            fields(stored.request.headers)
                == "Host: api.test\nX-Tenant: t\nX-Id: id-N-7$\nContent-Type: application/json")
        #expect(octets(stored.request.body) == #"{"user": {"email":"ann@a.test", "n":1}, "nonce2":[1]}"#)
        let live = sent("us.staging.test", "4711", "def", "2").request
        guard case .octets(let octets) = live.body.content else { return }
        let asked = filters.filtered(
            try IncomingRequest(method: "POST", url: live.url, headers: live.headers, body: .octets(octets)))
        var playback = Playback(exchanges: [stored], rules: try MatchRules.parse(list: "method,uri,headers,body"))
        #expect(playback.position(asked) == 0)
        #expect(asked.headers == stored.request.headers)
    }

    @Test func aCodedRequestIsFilteredDecoded() throws {
        let filters = try chain { $0.requestBody = try BodyFilter([.init("nonce", .replace("0"))]) }
        let stored = filters.filtered(
            exchange("https://a.test/", method: "POST", headers: Self.json, body: #"{"nonce":"1","a":2}"#))
        let coded = try ContentEncoder.encode(ByteBuffer(string: #"{"a":2,"nonce":"9"}"#), codings: [.gzip])
        let asked = try IncomingRequest(
            method: "POST", url: "https://a.test/", headers: HeaderList(Self.json + [("Content-Encoding", "gzip")]),
            body: .octets(coded))
        var playback = Playback(exchanges: [stored], rules: try MatchRules.parse(list: "method,body"))
        #expect(playback.position(filters.filtered(asked)) == 0)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2,"c":3}"#, "a", #"{"b":2,"c":3}"#), (#"{"a":1, "b":2, "c":3}"#, "b", #"{"a":1, "c":3}"#),
        (#"{"a":1,"b":2,"c":3}"#, "c", #"{"a":1,"b":2}"#), (#"{"a":1}"#, "a", "{}"), (#"{ "a" : [1] }"#, "a", "{ }"),
        (#"{"a":1,"a":2,"b":3}"#, "a", #"{"b":3}"#), (#"[{"a":{"a":1}},{"b":1}]"#, "a", #"[{},{"b":1}]"#),
        (#"{"x":{"a":1},"y":[{"b":2,"a":3}]}"#, "a", #"{"x":{},"y":[{"b":2}]}"#),
        (#"{"i":[1,2,3]}"#, "$.i[0]", #"{"i":[2,3]}"#), (#"{"i":[1,2,3]}"#, "$.i[*]", #"{"i":[]}"#),
        (#""a""#, "a", #""a""#), (#"{"a""#, "a", #"{"a""#),
    ])
    func removesKeysAndKeepsTheRest(before: String, name: String, after: String) throws {
        #expect(try body(before, [.init(name, .remove)]) == after)
    }

    @Test func replacesByKindOfValue() throws {
        let rules: [FilterChain.Rule] = [
            .init("s", .replace("5")), .init("n", .replace("5")), .init("b", .replace("no")),
            .init("t", .transform { $0.uppercased() }), .init("gone", .transform { _ in nil }),
        ]
        #expect(
            try body(#"{"s":"x\u0041","n": 1.0,"b":true,"t":"q","gone":1,"o":{"s":""}}"#, rules)
                == #"{"s":"5","n": 5,"b":"no","t":"Q","o":{"s":"5"}}"#)
    }

    @Test func changesFormsEventStreamsAndLines() throws {
        let rules: [FilterChain.Rule] = [.init("t", .replace("a b")), .init("gone", .remove)]
        #expect(
            try body("t=1&gone=2&x=%41", rules, type: "application/x-www-form-urlencoded") == "t=a+b&x=%41")
        #expect(
            try body("event: e\ndata: {\"t\":1}\n\ndata:{\"gone\":1}\n\n: [t]\n", rules, type: "text/event-stream")
                == "event: e\ndata: {\"t\":\"a b\"}\n\ndata:{}\n\n: [t]\n")
        #expect(try body("{\"t\":\"1\"}\n{\"t\":\"2\"}\n", rules) == "{\"t\":\"a b\"}\n{\"t\":\"a b\"}\n")
    }

    @Test func chunkBordersAndLengthFollow() throws {
        var recorded = exchange(
            "https://a.test/", answer: #"data: {"t":"long value"}"# + "\n\n" + "data: end\n\n",
            answerHeaders: [("Content-Type", "text/event-stream"), ("Content-Length", "37")])
        var response = recorded.response
        response.chunks = [.init(at: 1, length: 26), .init(at: 2, length: 11)]
        recorded.outcome = .response(response)
        let filters = try chain { $0.responseBody = try BodyFilter([.init("t", .replace("s"))]) }
        let stored = filters.filtered(recorded).response
        #expect(stored.chunks.map(\.length) == [17, 11])
        #expect(stored.headers.first("content-length") == "28")
        #expect(recorded.response.body.count == 37)
    }

    @Test func patternsLeaveBinaryBodiesAlone() throws {
        var recorded = exchange("https://a.test/")
        var response = recorded.response
        response.body = RecordedBody(.octets(ByteBuffer(bytes: [0xFF, 0x61, 0x61])))
        recorded.outcome = .response(response)
        let filters = try chain { $0.patterns = [try TextPattern("a+", replacement: "b")] }
        #expect(filters.filtered(recorded).response.body == response.body)
        #expect(throws: EngineError.self) { try TextPattern("(", replacement: "") }
        #expect(throws: EngineError.self) { try BodyFilter([.init("$[?(@.a)]", .remove)]) }
    }
}

struct JSONOverridesTests {
    private func overridden(_ body: String, _ texts: [String], type: String = "application/json") throws -> String {
        octets(
            try JSONOverrides(texts).applied(
                to: exchange("https://a.test/", answer: body, answerHeaders: [("Content-Type", type)])
            ).response.body)
    }

    @Test func replacesValuesOfAnyKind() throws {
        #expect(
            try overridden(
                #"{"isPremium":false,"user":{"name":"Joe","isPremium":null},"n":[1,{"name":2}]}"#,
                ["isPremium=true", #"$.user.name=Ann"#, "$.n[1].name=[1,2]"])
                == #"{"isPremium":true,"user":{"name":"Ann","isPremium":true},"n":[1,{"name":[1,2]}]}"#)
        #expect(
            try overridden("data: {\"a\":1}\n\n", [#"a="5""#], type: "text/event-stream") == "data: {\"a\":\"5\"}\n\n")
        #expect(try overridden(#"{"a=b":1}"#, ["$['a=b']=x=y"]) == #"{"a=b":"x=y"}"#)
        #expect(try overridden("a=1", ["a=2"], type: "application/x-www-form-urlencoded") == "a=1")
        #expect(try overridden(#"{"a":1}"#, ["b=2"]) == #"{"a":1}"#)
    }

    @Test func refusesWhatIsNoPair() {
        for bad in ["a", "=1", "$[?(@.a)]=1", "a b=1"] {
            #expect(throws: EngineError.self) { try JSONOverrides([bad]) }
        }
    }
}
