import NIOCore
import Testing

@testable import PlayheadProxy

/// SOCKS5 as a client speaks it to us, message by message.
@Suite struct SOCKSConversationTests {
    /// All steps that some octets lead to, given at once or one by one; authentication succeeds.
    private func steps(_ octets: [UInt8], needsPassword: Bool = false, byOctet: Bool = false) -> [SOCKSConversation
        .Step]
    {
        var conversation = SOCKSConversation(needsPassword: needsPassword)
        var steps: [SOCKSConversation.Step] = []
        for piece in byOctet ? octets.map({ [$0] }) : [octets] {
            conversation.append(ByteBuffer(bytes: piece))
            while true {
                let step = conversation.next()
                if case .wait = step { break }
                steps.append(step)
                if case .authenticate = step { steps.append(conversation.authenticated()) }
                if case .told = step { steps.append(conversation.chooseAuthentication()) }
            }
        }
        return steps
    }

    private static let name: [UInt8] = [5, 1, 0, 3, 11] + Array("API.example".utf8) + [1, 187]

    @Test(arguments: [false, true])
    func takesANameWithoutAuthentication(byOctet: Bool) {
        let expected: [SOCKSConversation.Step] = [
            .send([5, 0]), .connect(Authority(host: "api.example", port: 443), rest: ByteBuffer()),
        ]
        #expect(self.steps([5, 1, 0] + Self.name, byOctet: byOctet) == expected)
    }

    @Test(arguments: [false, true])
    func takesUserAndPassword(byOctet: Bool) {
        let login: [UInt8] = [1, 2, 109, 101, 3, 112, 58, 119]
        let expected: [SOCKSConversation.Step] = [
            .send([5, 2]), .authenticate(user: "me", password: Array("p:w".utf8)), .send([1, 0]),
            .connect(Authority(host: "api.example", port: 443), rest: ByteBuffer()),
        ]
        #expect(self.steps([5, 3, 0, 1, 2] + login + Self.name, needsPassword: true, byOctet: byOctet) == expected)
        let empty = self.steps([5, 1, 2, 1, 0, 0], byOctet: byOctet)
        #expect(empty == [.send([5, 2]), .authenticate(user: "", password: []), .send([1, 0])])
    }

    @Test(arguments: [false, true])
    func hearsWhereAConnectionCameThrough(byOctet: Bool) {
        let told = [1, 0, 3] + Array("a b".utf8)
        let plain: [SOCKSConversation.Step] = [
            .send([5, 0xE7]), .told(via: "a b"), .send([5, 0]),
            .connect(Authority(host: "api.example", port: 443), rest: ByteBuffer()),
        ]
        #expect(self.steps([5, 2, 0, 0xE7] + told + Self.name, byOctet: byOctet) == plain)
        let password = self.steps([5, 3, 0, 2, 0xE7] + told + [1, 0, 0], needsPassword: true, byOctet: byOctet)
        #expect(
            password == [
                .send([5, 0xE7]), .told(via: "a b"), .send([5, 2]), .authenticate(user: "", password: []),
                .send([1, 0]),
            ])
        let refused = self.steps([5, 2, 0, 0xE7] + told, needsPassword: true, byOctet: byOctet)
        #expect(refused.contains { if case .refuse([5, 0xFF], _) = $0 { true } else { false } })
        for malformed: [UInt8] in [[2], [1, 5, 0]] {
            let steps = self.steps([5, 2, 0, 0xE7] + malformed, byOctet: byOctet)
            #expect(steps.last == .refuse(SOCKSConversation.reply(1), "its trail cannot be read"))
        }
    }

    @Test func takesAddressesAndKeepsWhatFollows() {
        let four = self.steps([5, 1, 0, 5, 1, 0, 1, 10, 0, 0, 1, 0, 80, 22, 3])
        #expect(four.last == .connect(Authority(host: "10.0.0.1", port: 80), rest: ByteBuffer(bytes: [22, 3])))
        let six = self.steps([5, 1, 0, 5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80])
        #expect(six.last == .connect(Authority(host: "::1", port: 80), rest: ByteBuffer()))
    }

    @Test(
        arguments: [
            ([5, 1, 0, 5, 2, 0, 1, 1, 1, 1, 1, 0, 80], 7), ([5, 1, 0, 5, 3, 0, 1, 1, 1, 1, 1, 0, 80], 7),
            ([5, 1, 0, 5, 1, 0, 2, 1], 8), ([5, 1, 0, 4, 1, 0, 1], 1), ([5, 1, 0, 5, 1, 0, 1, 1, 1, 1, 1, 0, 0], 1),
            ([5, 1, 0, 5, 1, 0, 3, 0, 0, 80], 1), ([5, 1, 0, 5, 1, 0, 3, 3, 97, 10, 98, 0, 80], 1),
            ([5, 1, 0, 5, 1, 0, 3, 3, 97, 58, 49, 0, 80], 1),
        ] as [([UInt8], UInt8)])
    func refusesWithTheRightCode(octets: [UInt8], code: UInt8) {
        guard case .refuse(let reply, _)? = self.steps(octets).last else {
            Issue.record("no refusal")
            return
        }
        #expect(reply == SOCKSConversation.reply(code))
    }

    @Test func refusesMethodsItDoesNotHave() {
        for octets in [[5, 1, 1], [5, 0], [5, 2, 1, 3]] as [[UInt8]] {
            guard case .refuse([5, 0xFF], _)? = self.steps(octets).last else {
                Issue.record("no refusal")
                return
            }
        }
        guard case .refuse([5, 0xFF], let reason)? = self.steps([5, 1, 0], needsPassword: true).last else {
            Issue.record("no refusal")
            return
        }
        #expect(reason.contains("--require-auth"))
    }
}
