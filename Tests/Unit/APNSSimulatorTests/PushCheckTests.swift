import APNS
import APNSProvider
import HTTP
import TestSupport
import Testing

@testable import APNSSimulator

/// The same request is checked and sent: both come to the same.
struct PushCheckTests {
    @Test(
        arguments: [
            ([:], #"{"aps":{"alert":"x"}}"#, nil, 0),
            ([:], #"{"aps":{"mutable-content":1}}"#, nil, 1),
            (["apns-topic": "com.example.other"], "{}", "DeviceTokenNotForTopic", 0),
            (["apns-priority": "7"], "{}", "BadPriority", 0),
            (["apns-push-type": "nothing"], "{}", "InvalidPushType", 0),
            ([:], "", "PayloadEmpty", 1),
            (["authorization": "bearer x"], "{}", "InvalidProviderToken", 0),
        ] as [([String: String], String, String?, Int)]
    )
    func `a check has the answer and the remarks that the push gets, and leaves no trace`(
        _ changes: [String: String],
        _ payload: String,
        _ reason: String?,
        _ remarkCount: Int
    ) async throws {
        let site = try await Site()
        let token = try await site.simulator.enrol(site.topic)
        let authorization = try site.tokens.token(at: Moment(unixSeconds: Site.start, uptimeSeconds: 0)).authorization
        var headers = HeaderBlock()
        for (name, value) in [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token.hex)"),
            ("authorization", String(decoding: authorization, as: UTF8.self)), ("apns-topic", "com.example.chat"),
            ("apns-push-type", "alert"),
        ] {
            headers.append(Array(name.utf8), Array((changes[name] ?? value).utf8))
        }
        for (name, value) in changes where name == "apns-priority" {
            headers.append(Array(name.utf8), Array(value.utf8))
        }
        let check = await site.simulator.check(headers, payload: Array(payload.utf8))
        #expect(check.reason?.rawValue == reason)
        #expect(check.lints.count == remarkCount)
        #expect(site.events.all.isEmpty)

        let connection = try await site.rawConnection()
        let response = try await connection.send(HTTP2Request(headers: headers, body: Array(payload.utf8)))
        let sent = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == check.reason?.status ?? 200)
        #expect(check.reason.map { sent.contains($0.rawValue) } ?? sent.isEmpty, "\(sent)")
    }
}
