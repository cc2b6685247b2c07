import APNS
import Networking
import TestSupport

@testable import APNSSimulator

extension SettingEffect {
    static let validation = requests + providerTokens + certificates

    private static let requests = [
        SettingEffect("profile", "apple", from: "400 BadMessageId", to: "200") { stage in
            try await stage.push { $0["apns-id"] = Request.id.uppercased() }
        },
        SettingEffect("topic-of-another-type", "accept", from: "400 BadTopic", to: "200") { stage in
            let token = try await stage.site.simulator.enrol(try Topic("com.example.chat.voip"))
            return try await stage.push(to: token) { $0["apns-topic"] = "com.example.chat.voip" }
        },
        SettingEffect("token-of-another-kind", "accept", from: "400 DeviceTokenNotForTopic", to: "200") { stage in
            try await stage.push {
                ($0["apns-topic"], $0["apns-push-type"]) = ("com.example.chat.voip", "voip")
            }
        },
        SettingEffect("missing-push-type", "InvalidPushType", from: "200", to: "400 InvalidPushType") { stage in
            try await stage.push { $0["apns-push-type"] = nil }
        },
        SettingEffect("background-priority-10", "accept", from: "400 BadPriority", to: "200") { stage in
            try await stage.push { $0["apns-push-type"] = "background" }
        },
        SettingEffect("live-activity-priority-1", "accept", from: "400 BadPriority", to: "200") { stage in
            let topic = "com.example.chat.push-type.liveactivity"
            let token = try await stage.site.simulator.enrol(try Topic(topic))
            return try await stage.push(to: token) {
                $0["apns-topic"] = topic
                ($0["apns-push-type"], $0["apns-priority"]) = ("liveactivity", "1")
            }
        },
        SettingEffect("mdm-with-token", "TopicDisallowed", from: "403 Forbidden", to: "400 TopicDisallowed") { stage in
            try await stage.push { $0["apns-push-type"] = "mdm" }
        },
        SettingEffect("strict-json", "yes", from: "200", to: "400 PayloadEmpty") { stage in
            try await stage.push("no JSON")
        },
    ]

    private static let providerTokens = [
        SettingEffect(
            "wrong-key-environment",
            "BadEnvironmentKeyIdInToken",
            from: "403 BadEnvironmentKeyInToken",
            to: "403 BadEnvironmentKeyIdInToken",
            with: { configuration in
                let key = configuration.keys[0]
                configuration.keys = [
                    SigningKey(id: key.id, team: key.team, publicKey: key.publicKey, environments: [.production])
                ]
            }
        ) { try await $0.push() },
        SettingEffect(
            "token-updates-per",
            "key",
            from: "200, 200",
            to: "200, 429 TooManyProviderTokenUpdates"
        ) { stage in
            var answers: [String] = []
            for age in [60, 30] {
                let issuedAt = stage.site.now - Int64(age)
                answers.append(
                    try await stage.push { $0["authorization"] = try Authorization(issuedAt: issuedAt).value }
                )
            }
            return answers.joined(separator: ", ")
        },
        SettingEffect("clock-skew", "never", from: "403 InvalidProviderToken", to: "200") { stage in
            let issuedAt = stage.site.now + 3600
            return try await stage.push { $0["authorization"] = try Authorization(issuedAt: issuedAt).value }
        },
    ]

    private static let certificates = [
        SettingEffect("untrusted-certificate", "403", from: "no answer", to: "403 BadCertificate") { stage in
            await stage.push(as: stage.providers.ofStranger)
        },
        SettingEffect("unfit-certificate", "403", from: "no answer", to: "403 BadCertificateEnvironment") { stage in
            await stage.push(as: stage.providers.ofOtherEnvironment)
        },
        SettingEffect(
            "revoked-certificates",
            { "0x" + Hex.encode($0.providers.good.certificate.serialNumber) },
            from: "200",
            to: "no answer"
        ) { stage in
            await stage.push(as: stage.providers.good)
        },
    ]
}
