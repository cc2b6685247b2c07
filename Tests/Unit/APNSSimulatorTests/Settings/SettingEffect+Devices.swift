import APNS
import DeviceLink
import TestSupport

@testable import APNSSimulator

extension SettingEffect {
    static let devices = [
        SettingEffect("device-certificates", "required", from: "welcome", to: "certificateRequired") { stage in
            do {
                try await stage.site.device().close()
                return "welcome"
            } catch DeviceLinkError.refused(let refusal) {
                return "\(refusal)"
            }
        },
        SettingEffect("device-tokens", "1", from: "201", to: "409") { stage in
            "\(try await stage.call("POST /v1/devices", #"{"topic":"com.example.chat"}"#).status)"
        },
    ]

    /// Store and forward.
    static let delivery = storing + groups + budgets + records

    private static let storing = [
        SettingEffect("storage-days", "0", from: "1", to: "0") { stage in
            let token = try await stage.enrol()
            _ = try await stage.push(to: token)
            // A stored push precedes a new one.
            let device = try await stage.site.device(earlierToken: token)
            _ = try await stage.push(to: token, #"{"aps":{"alert":"later"}}"#)
            let first = try await stage.pushes(1, device)
            device.close()
            return first[0].word == "later" ? "0" : "1"
        },
        SettingEffect("reorder-milliseconds", "1000", from: newest, to: bySeedOne, keptOfTwo),
        // The random numbers start again: the same as with this seed from the start.
        SettingEffect(
            "delivery-seed",
            "1",
            from: bySeedTwo,
            to: bySeedOne,
            with: { ($0.delivery.reorderMilliseconds, $0.delivery.seed) = (1000, 2) },
            keptOfTwo
        ),
    ]

    private static let newest = "newer newer newer newer newer newer newer newer"
    private static let bySeedOne = "older older newer older newer older newer older"
    private static let bySeedTwo = "newer older newer newer older newer newer newer"

    /// The stored one of two pushes, for each of eight devices.
    private static let keptOfTwo: Observation = { stage in
        var kept: [String] = []
        for _ in 0..<8 {
            let token = try await stage.enrol()
            for word in ["older", "newer"] { _ = try await stage.push(to: token, #"{"aps":{"alert":"\#(word)"}}"#) }
            let device = try await stage.site.device(earlierToken: token)
            kept += try await stage.pushes(1, device).map(\.word)
            device.close()
        }
        return kept.joined(separator: " ")
    }

    private static let groups = [
        SettingEffect("group-low-priority", "always", from: "low", to: "high") { try await firstOfTwo($0) },
        SettingEffect(
            "group-seconds",
            "1",
            from: "high",
            to: "low",
            with: { ($0.delivery.grouping, $0.delivery.groupSeconds) = (.always, 3600) }
        ) { stage in try await firstOfTwo(stage, after: 10) },
        SettingEffect("group-size", "1", from: "high", to: "low", with: { $0.delivery.grouping = .always }) {
            try await firstOfTwo($0)
        },
    ]

    /// The device's first of two pushes: one with a low priority, and one with a high priority behind it.
    private static func firstOfTwo(_ stage: SettingStage, after seconds: Int64 = 0) async throws -> String {
        let device = try await stage.site.device()
        _ = try await stage.push(to: device.deviceToken, #"{"aps":{"alert":"low"}}"#) { $0["apns-priority"] = "5" }
        stage.site.advance(seconds)
        await stage.site.simulator.wake()
        _ = try await stage.push(to: device.deviceToken, #"{"aps":{"alert":"high"}}"#)
        let first = try await stage.pushes(1, device)
        device.close()
        return first[0].word
    }

    private static let budgets = [
        SettingEffect("background-pushes-per-hour", "1", from: "one two shown", to: "one shown") { stage in
            let device = try await stage.site.device()
            for word in ["one", "two"] {
                let body = #"{"aps":{"content-available":1},"word":"\#(word)"}"#
                _ = try await stage.push(to: device.deviceToken, body) {
                    ($0["apns-push-type"], $0["apns-priority"]) = ("background", "5")
                }
            }
            _ = try await stage.push(to: device.deviceToken, #"{"aps":{"alert":"shown"}}"#)
            var words: [String] = []
            while words.last != "shown" { words += try await stage.pushes(1, device).map(\.word) }
            device.close()
            return words.joined(separator: " ")
        },
        SettingEffect("alerts-per-burst", "1", from: "asAsked asAsked", to: "asAsked passiveForBurst") {
            try await presentations($0, secondsBetween: 0)
        },
        SettingEffect(
            "alert-burst-seconds",
            "1",
            from: "asAsked passiveForBurst",
            to: "asAsked asAsked",
            with: { ($0.delivery.alertsPerBurst, $0.delivery.alertBurstSeconds) = (1, 3600) }
        ) { try await presentations($0, secondsBetween: 10) },
        SettingEffect(
            "token-pushes-per-minute",
            "1",
            from: "200, 200",
            to: "200, 429 TooManyRequests",
            with: { $0.delivery.tokenBurst = 1 },
            twoPushes
        ),
        SettingEffect(
            "token-burst",
            "1",
            from: "200, 200",
            to: "200, 429 TooManyRequests",
            with: { $0.delivery.tokenRequestsPerMinute = 1 },
            twoPushes
        ),
    ]

    private static func presentations(_ stage: SettingStage, secondsBetween seconds: Int64) async throws -> String {
        let device = try await stage.site.device()
        _ = try await stage.push(to: device.deviceToken)
        stage.site.advance(seconds)
        _ = try await stage.push(to: device.deviceToken)
        let pushes = try await stage.pushes(2, device)
        device.close()
        return pushes.map { "\($0.presentation)" }.joined(separator: " ")
    }

    private static let twoPushes: Observation = { stage in
        let token = try await stage.enrol()
        return "\(try await stage.push(to: token)), \(try await stage.push(to: token))"
    }

    private static let records = [
        SettingEffect(
            "late-invalidation-seconds",
            "31536000",
            from: "200, 410 Unregistered",
            to: "200, 200"
        ) { stage in
            let device = try await stage.site.device(state: .appRemoved)
            let answers = [try await stage.push(to: device.deviceToken), try await stage.push(to: device.deviceToken)]
            device.close()
            return answers.joined(separator: ", ")
        },
        SettingEffect("delivery-log-entries", "1", from: "known", to: "forgotten") { stage in
            let response = try await stage.response(to: stage.token)
            _ = try await stage.push()
            return try await isKnown(response.text(of: "apns-unique-id"), stage)
        },
        SettingEffect("delivery-log-days", "1", from: "known", to: "forgotten") { stage in
            let response = try await stage.response(to: stage.token)
            stage.site.advance(2 * 86_400)
            return try await isKnown(response.text(of: "apns-unique-id"), stage)
        },
    ]

    private static func isKnown(_ uniqueID: String?, _ stage: SettingStage) async throws -> String {
        guard let id = uniqueID.flatMap({ APNSID($0) }) else { return "without an id" }
        return await stage.site.simulator.deliveries(.uniqueID(id), countMax: 1).isEmpty ? "forgotten" : "known"
    }
}
