import Envelope
import ServiceParts

@testable import PushService

/// A configuration with every member, as text that tests change.
enum ExampleConfiguration {
    static let hash = APIKeyHash(of: Array("one".utf8)).text
    static let otherHash = APIKeyHash(of: Array("two".utf8)).text

    static let text = """
        {
          "listen": [{"address": "0.0.0.0", "port": 8443}],
          "loopback-port": 8080,
          "tls": {"certificate-file": "/etc/sealedpush/tls.pem", "key-file": "/etc/sealedpush/tls.key"},
          "database-file": "/var/lib/sealedpush/store.sqlite",
          "token-key-file": "/etc/sealedpush/token.key",
          "limits": {"recipients": 500, "in-flight": 2000},
          "tenants": [
            {
              "id": "acme",
              "keys": [
                {"name": "back-end", "hash": "\(hash)", "scopes": ["send", "read"]},
                {"name": "admin", "hash": "\(otherHash)", "scopes": ["manage", "metrics"]}
              ],
              "quota-per-day": 5000,
              "requests-per-second": 50,
              "allows-clear-text": false,
              "webhook": {"url": "https://hooks.example.com/push?x=1", "secret-file": "/etc/sealedpush/hook.key"},
              "apps": [
                {
                  "bundle-id": "com.example.chat",
                  "environment": "production",
                  "credential": {"key-file": "/etc/sealedpush/a.p8", "key-id": "ABCDE12345", "team-id": "TEAM123456"},
                  "placeholder": {"loc-key": "SP_NEW"},
                  "receipts": true,
                  "fallback": {
                    "kind": "sms", "url": "https://sms.example.com/send", "secret-file": "/etc/sealedpush/sms.key",
                    "after-seconds": 90, "text": "You have a new message"
                  }
                },
                {
                  "bundle-id": "com.example.chat",
                  "environment": "sandbox",
                  "credential": {"certificate-file": "/etc/sealedpush/b.p12", "password-file": "/etc/sealedpush/b.pw"},
                  "endpoint": {"host": "localhost", "port": 2197, "authorities-file": "/etc/sealedpush/ca.pem"},
                  "placeholder": {"title": "Chat", "body": "New message"}
                }
              ]
            }
          ]
        }
        """

    static func read(
        replacing: String = "",
        with replacement: String = "",
        environment: [String: String] = [:]
    ) throws(ConfigurationErrors) -> ServiceConfiguration {
        let changed = text.split(separator: replacing, omittingEmptySubsequences: false).joined(separator: replacement)
        let file = replacing.isEmpty ? text : changed
        return try ServiceConfiguration(file: Array(file.utf8), environment: environment)
    }

    static func faults(
        replacing: String = "",
        with replacement: String = "",
        environment: [String: String] = [:]
    ) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try read(replacing: replacing, with: replacement, environment: environment)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }
}
