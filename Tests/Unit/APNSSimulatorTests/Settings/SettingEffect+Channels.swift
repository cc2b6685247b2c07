import APNS
import DeviceLink
import HTTP
import Networking
import TestSupport

@testable import APNSSimulator

extension SettingEffect {
    static let channels = [
        SettingEffect("channels", "0", from: "201", to: "400 CannotCreateChannelConfig") { stage in
            try await stage.answer(.create())
        },
        SettingEffect("channel-apps", "0", from: "201", to: "400 CannotCreateChannelConfig") { stage in
            let app = "com.example.app\(stage.site.now)"
            stage.site.advance(1)
            return try await stage.answer(.create().with(":path", "/1/apps/\(app)/channels"))
        },
        SettingEffect("channel-storage-seconds", "0", from: "1", to: "2") { stage in
            try await stage.firstBroadcast([(1, isStored: true)])
        },
        SettingEffect("channel-subscriptions", "0", from: "active", to: "tooMany") { stage in
            let device = try await stage.site.device()
            let answer = try await device.subscribe(to: try await stage.channel(), of: stage.site.app)
            device.close()
            return "\(answer)"
        },
        SettingEffect("broadcasts-per-minute", "1", from: "200, 200", to: "200, 429 TooManyRequests") { stage in
            let call = try ChannelCall.send(try await stage.channel())
            return "\(try await stage.answer(call)), \(try await stage.answer(call))"
        },
        SettingEffect("broadcast-capability", "no", from: "200", to: "400 FeatureNotEnabled") { stage in
            try await stage.answer(.list())
        },
        SettingEffect("broadcast-needs-expiration", "yes", from: "200", to: "400 BadExpirationDate") { stage in
            try await stage.answer(.send(try await stage.channel()).with("apns-expiration", nil))
        },
        SettingEffect("broadcast-event-check", "no", from: "400 BadRequestPayload", to: "200") { stage in
            try await stage.answer(.send(try await stage.channel()).with(body: #"{"aps":{"event":"start"}}"#))
        },
        SettingEffect("broadcast-unstored-replaces", "no", from: "2", to: "1") { stage in
            try await stage.firstBroadcast([(1, isStored: true), (0, isStored: false)])
        },
    ]
}

extension SettingStage {
    fileprivate func answer(_ call: ChannelCall) async throws -> String {
        let response = try await call.with("authorization", Authorization(issuedAt: site.now - 60).value)
            .response(from: site)
        return "\(response.status)" + (response.broadcastReason.map { " \($0.rawValue)" } ?? "")
    }

    /// A channel that keeps its newest message.
    fileprivate func channel() async throws -> ChannelID {
        let response = try await ChannelCall.create().response(from: site)
        return try ChannelID(bytes: Array((response.text(of: "apns-channel-id") ?? "").utf8))
    }

    /// The first goals that reach a subscribed device after these broadcasts, and before one with two.
    fileprivate func firstBroadcast(_ broadcasts: [(goals: Int, isStored: Bool)]) async throws -> String {
        let channel = try await channel()
        func send(_ goals: Int, isStored: Bool) async throws {
            let body = #"{"aps":{"event":"update","timestamp":1,"content-state":{"goals":\#(goals)}}}"#
            let call = try ChannelCall.send(channel).with(body: body)
            _ = try await call.with("apns-expiration", isStored ? "\(site.now + 3600)" : "0").response(from: site)
        }
        for (goals, isStored) in broadcasts { try await send(goals, isStored: isStored) }
        let device = try await site.device()
        _ = try await device.subscribe(to: channel, of: site.app)
        try await send(2, isStored: false)
        let first = try await pushes(1, device)
        device.close()
        return first[0].word
    }
}
