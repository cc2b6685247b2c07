import Envelope
import Primitives
import TestSupport

@testable import PushService

/// Two tenants with a key for each scope and one app each; both have devices of the same names.
enum StagedConfiguration {
    /// Texts of the keys, by tenant and scope: the same in every test of a run.
    static let keys: [String: String] = {
        var random = SeededRandom(seed: 0xA91_5E7)
        var keys: [String: String] = [:]
        for tenant in ["acme", "rival"] {
            for scope in Scope.allCases { keys["\(tenant) \(scope.rawValue)"] = APIKey.make(random: &random).text }
        }
        return keys
    }()

    static func key(_ tenant: String, _ scope: Scope) -> String { keys["\(tenant) \(scope.rawValue)"] ?? "" }

    private static func keyRows(_ tenant: String) -> String {
        Scope.allCases.map { scope in
            let hash = APIKeyHash(of: Array(key(tenant, scope).utf8)).text
            return #"{"name":"\#(tenant)-\#(scope.rawValue)","hash":"\#(hash)","scopes":["\#(scope.rawValue)"]}"#
        }.joined(separator: ",")
    }

    private static func tenant(_ id: String, app: String, more: String, appMore: String) -> String {
        let credential = #"{"key-file":"/etc/sealedpush/a.p8","key-id":"ABCDE12345","team-id":"TEAM123456"}"#
        let apps = ["production", "sandbox"].map { environment in
            // Another placeholder leaves another room.
            let placeholder =
                environment == "production" ? #"{"loc-key":"SP"}"# : #"{"title":"Chat","body":"New message"}"#
            let hasCertificate = id == "rival" && environment == "sandbox"
            let own = hasCertificate ? #"{"certificate-file":"/etc/sealedpush/b.pem"}"# : credential
            return
                #"{"bundle-id":"\#(app)","environment":"\#(environment)","credential":\#(own),"#
                + #""placeholder":\#(placeholder)\#(environment == "production" ? appMore : "")}"#
        }
        return
            #"{"id":"\#(id)","keys":[\#(keyRows(id))],"requests-per-second":1000000,"apps":[\#(apps.joined(separator: ","))]"#
            + more + "}"
    }

    static func text(limits: String = "", quota: Int = 1_000_000, gateway: String = "") -> String {
        let hook = #""webhook":{"url":"https://hooks.example.com/push","secret-file":"/etc/sealedpush/hook.key"}"#
        let fallback =
            #"{"kind":"webhook","url":"https://fall.example.com/","secret-file":"/etc/sealedpush/f.key","#
            + #""after-seconds":90,"text":"You have a new message"}"#
        let acme = tenant(
            "acme",
            app: "com.example.chat",
            more: #","quota-per-day":\#(quota),\#(hook)"#,
            appMore:
                #","receipts":true,"fallback":\#(fallback),"gateway":{"origin":"https://push.example.com"\#(gateway)}"#
        )
        let rival = tenant("rival", app: "com.example.rival", more: #","allows-clear-text":true"#, appMore: "")
        return #"""
            {"listen":[{"address":"127.0.0.1","port":0}],
             "tls":{"certificate-file":"/etc/sealedpush/tls.pem","key-file":"/etc/sealedpush/tls.key"},
             "database-file":"/var/lib/sealedpush/store","token-key-file":"/etc/sealedpush/token.key",
             "limits":{\#(limits)},"tenants":[\#(acme),\#(rival)]}
            """#
    }

    static func settings(
        limits: String = "",
        quota: Int = 1_000_000,
        gateway: String = ""
    ) throws -> ServiceSettings {
        ServiceSettings(
            try ServiceConfiguration(file: Array(text(limits: limits, quota: quota, gateway: gateway).utf8))
        )
    }
}
