import APNS
import APNSProvider
import Envelope
import Networking
import TestSupport

@testable import APNSSimulator

extension SettingEffect {
    static let legacy = [
        SettingEffect(
            "gateway-drain",
            "0",
            from: "open",
            to: "over",
            with: { ($0.legacy.drain, $0.legacy.connectionCountMax) = (nil, 1) }
        ) { stage in
            let endCount = stage.site.legacyEvents.count
            let client = await stage.gatewayClient()
            await client?.pauseReading()
            // No such command.
            await client?.send([3])
            await stage.site.wait(for: endCount + 1) { if case .legacy(.ended) = $0 { true } else { false } }
            // There is one place.
            let other = await stage.gatewayClient()
            for client in [client, other] { await client?.abort() }
            return other == nil ? "open" : "over"
        },
        SettingEffect(
            "gateway-idle",
            "0",
            from: "after the other",
            to: "before the other",
            with: { ($0.legacy.idle, $0.connections.idleDeadline) = (.seconds(600), .seconds(2)) }
        ) { stage in
            // `try?`: chance decides whether the connection opens before it ends.
            guard let client = try? await GatewayClient.connect(to: stage.site) else { return "before the other" }
            return try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    _ = await client.end()
                    return "before the other"
                }
                group.addTask {
                    _ = try await stage.farewell()
                    return "after the other"
                }
                let first = try await group.next() ?? ""
                await client.abort()
                return first
            }
        },
        SettingEffect("gateway-connections", "1", from: "in, in", to: "in, out") { stage in
            let first = await stage.gatewayClient()
            // `try?`: the question is whether there is one.
            let second = try? await GatewayClient.connect(to: stage.site)
            for client in [first, second] { await client?.abort() }
            return "in, \(second == nil ? "out" : "in")"
        },
        SettingEffect(
            "gateway-content-available-status",
            "0",
            from: "refused(1)",
            to: "accepted"
        ) { stage in
            try await stage.gatewayAnswer(#"{"aps":{"content-available":1}}"#)
        },
        SettingEffect("gateway-unreadable-payload-status", "0", from: "refused(1)", to: "accepted") { stage in
            try await stage.gatewayAnswer("no JSON")
        },
        SettingEffect("feedback-tokens", "0", from: "1", to: "0") { stage in
            let token = try await stage.enrol()
            await stage.site.simulator.unregister(token)
            _ = try await stage.gatewayAnswer(to: token)
            return "\(try await stage.site.feedback().tuples.count)"
        },
    ]

    static let control = [
        SettingEffect("journal-events", "1", from: "2", to: "1") { stage in
            for _ in 0..<2 { _ = try await stage.push { $0["apns-topic"] = "com.example.other" } }
            let events = try await stage.call("GET /v1/log").json?["events"]?.elements ?? []
            return "\(min(events.count, 2))"
        }
    ]
}

extension SettingStage {
    /// A client, if it finds a place: an abandoned one is free when the server has noticed, a few attempts later.
    fileprivate func gatewayClient() async -> GatewayClient? {
        for _ in 0..<20 {
            // `try?`: the question is whether there is one.
            if let client = try? await GatewayClient.connect(to: site) { return client }
        }
        return nil
    }

    fileprivate func gatewayAnswer(
        _ payload: String = #"{"aps":{"alert":"hi"}}"#,
        to token: DeviceToken? = nil
    ) async throws -> String {
        let notification = LegacyNotification(deviceToken: token ?? self.token, payload: Array(payload.utf8))
        let outcome = try await site.gateway().deliver([notification])[0]
        if case .refused(let status) = outcome { return "refused(\(status.rawValue))" }
        return "\(outcome)"
    }
}
