import APNS
import HTTP
import Networking
import Testing

@testable import APNSSimulator

struct ReplayPlanTests {
    private struct Unused: Error {}

    private static func exchange(_ change: (inout RecordedExchange) -> Void = { _ in }) throws -> RecordedExchange {
        var exchange = RecordedExchange(
            milliseconds: 0,
            unixSeconds: 1_000,
            connection: 3,
            fields: [
                .init(":method", "POST"), .init(":scheme", "https"), .init(":authority", "api.push.apple.com"),
                .init(":path", "{path}"), .init("authorization", "{authorization}"), .init("apns-topic", "a.b"),
            ],
            path: .device(2),
            authorization: .bearer(keyID: try KeyID("ABC123DEFG"), teamID: try TeamID("DEF123GHIJ"), issuedAt: 940),
            bodyByteCount: 10,
            payload: nil,
            answeredID: "id",
            outcome: .answered(status: 200, nil)
        )
        change(&exchange)
        return exchange
    }

    private static func tokens() throws -> [DeviceToken] {
        [try DeviceToken(hex: "aa"), try DeviceToken(hex: "bb")]
    }

    private static func plan(_ exchanges: [RecordedExchange], tokens: [DeviceToken]? = nil) throws -> ReplayPlan {
        try ReplayPlan(exchanges, authority: "localhost:1", tokens: try tokens ?? Self.tokens()) {
            seconds throws(Unused) in
            Array("bearer \(seconds)".utf8)
        }
    }

    private static func fields(_ plan: ReplayPlan) -> [String: String] {
        let pairs = plan.requests[0].request.headers.map { field in
            (String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self))
        }
        return Dictionary(pairs) { $1 }
    }

    @Test func `a request goes to the new host, to the device's new token, with a new provider token as old`() throws {
        let plan = try Self.plan([try Self.exchange()])
        let expected = [
            ":method": "POST", ":scheme": "https", ":authority": "localhost:1", ":path": "/3/device/bb",
            "authorization": "bearer -60", "apns-topic": "a.b",
        ]
        #expect(Self.fields(plan) == expected)
        #expect(plan.requests[0].connection == 3 && plan.requests[0].line == 1)
    }

    @Test(arguments: [0, 1, 2, 25, 4_097])
    func `a payload that was not recorded is replaced by one as long`(_ byteCount: Int) throws {
        let plan = try Self.plan([try Self.exchange { $0.bodyByteCount = byteCount }])
        #expect(plan.requests[0].request.body.count == byteCount)
    }

    @Test func `a payload that was recorded is sent`() throws {
        let plan = try Self.plan([try Self.exchange { $0.payload = [1, 2, 3] }])
        #expect(plan.requests[0].request.body == [1, 2, 3])
    }

    @Test func `what was no token of ours is none again, and as long`() throws {
        let hex = try Self.plan([try Self.exchange { $0.path = .stranger(characterCount: 4, isHex: true) }])
        #expect(Self.fields(hex)[":path"] == "/3/device/0000")
        let other = try Self.plan([try Self.exchange { $0.path = .stranger(characterCount: 4, isHex: false) }])
        #expect(Self.fields(other)[":path"] == "/3/device/zzzz")
        let path = try Self.plan([try Self.exchange { $0.path = .other(byteCount: 3) }])
        #expect(Self.fields(path)[":path"] == "/xx")
    }

    @Test func `one provider token serves all requests that had one`() throws {
        var count = 0
        let exchanges = try (0..<3).map { _ in try Self.exchange() }
        _ = try ReplayPlan(exchanges, authority: "h:1", tokens: try Self.tokens()) { _ throws(Unused) in
            count += 1
            return []
        }
        #expect(count == 1)
    }

    @Test func `a device without a token is named with its line`() throws {
        let exchanges = [try Self.exchange { $0.path = .device(1) }, try Self.exchange { $0.path = .device(3) }]
        #expect {
            _ = try Self.plan(exchanges)
        } throws: { error in
            guard case ReplayPlanError<Unused>.missingToken(let missing) = error else { return false }
            return missing == ReplayPlan.MissingToken(line: 2, device: 3)
        }
    }

    @Test func `faults without an answer are left out, and those with one are compared`() throws {
        let plan = try Self.plan([
            try Self.exchange { $0.outcome = .injected(.request(.silence(isProcessed: true))) },
            try Self.exchange { $0.outcome = .injected(.dropped) },
            try Self.exchange { $0.outcome = .injected(.request(.rejected(.shutdown))) },
            try Self.exchange { $0.outcome = .answered(status: 410, .unregistered) },
        ])
        #expect(plan.skippedLines == [1])
        #expect(plan.requests.map(\.expected.description) == ["200", "503 Shutdown", "410 Unregistered"])
    }
}
