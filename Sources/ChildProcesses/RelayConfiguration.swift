import Envelope

/// Test relay's configuration: tenants with one app each, the simulator in Apple's place.
package struct RelayConfiguration: Sendable {
    package static let environment = "sandbox"
    package static let topic = "com.example.chat"
    /// Provider key's.
    package static let keyID = "EXAMPLEKEY"
    package static let teamID = "EXAMPLTEAM"

    /// Absolute path of the example keys.
    package let keys: String
    /// Relay's folder, of mode 0700.
    package let folder: String
    /// The simulator's port for pushes.
    package let pushPort: Int64
    /// Ids.
    package var tenants = ["acme"]
    package var takesReceipts = false
    /// Of the gateway, which is off without it.
    package var endpointPushesPerSecond: Int?
    /// On 127.0.0.1, in plain text; the file has its secret.
    package var webhook: (port: UInt16, secretFile: String)?
    /// Further apps under the same key.
    package var moreTopics: [String] = []
    /// Members of `limits`.
    package var limits: [(name: String, value: Int)] = []

    /// URL of PostgreSQL, instead of a file.
    package var databaseURLFile: String?

    package var databaseFile: String { folder + "/store.sqlite" }
    package var tokenKeyFile: String { folder + "/token.key" }

    /// - Parameters:
    ///   - keys: absolute.
    ///   - folder: absolute, of mode 0700.
    package init(keys: String, folder: String, pushPort: Int64) {
        self.keys = keys
        self.folder = folder
        self.pushPort = pushPort
    }

    /// - Parameter keyHashes: of each tenant's API key.
    func json(keyHashes: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("listen")
            writer.array { writer in
                writer.object { writer in
                    writer.member("address", "127.0.0.1")
                    writer.member("port", 0)
                }
            }
            writer.name("tls")
            writer.object { writer in
                writer.member("certificate-file", keys + "/relay.pem")
                writer.member("key-file", folder + "/relay.key")
            }
            if let databaseURLFile {
                writer.name("database")
                writer.object { writer in
                    writer.member("url-file", databaseURLFile)
                    writer.member("requires-standby", false)
                }
            } else {
                writer.member("database-file", databaseFile)
            }
            writer.member("token-key-file", tokenKeyFile)
            writer.name("tenants")
            writer.array { writer in
                for (id, hash) in zip(tenants, keyHashes) { writer.object { tenant(id, &$0, keyHash: hash) } }
            }
            guard !limits.isEmpty else { return }
            writer.name("limits")
            writer.object { writer in for (name, value) in limits { writer.member(name, value) } }
        }
        return writer.bytes
    }

    private func tenant(_ id: String, _ writer: inout JSONWriter, keyHash: String) {
        writer.member("id", id)
        writer.member("quota-per-day", 1_000_000_000)
        writer.member("requests-per-second", 1_000_000)
        writer.name("keys")
        writer.array { writer in
            writer.object { writer in
                writer.member("name", "back-end")
                writer.member("hash", keyHash)
                writer.name("scopes")
                writer.array { writer in
                    for scope in ["send", "manage", "read", "metrics"] { writer.string(scope) }
                }
            }
        }
        if let webhook {
            writer.name("webhook")
            writer.object { writer in
                writer.member("url", "http://127.0.0.1:\(webhook.port)/")
                writer.member("secret-file", webhook.secretFile)
                writer.member("allows-plain-http", true)
                writer.name("allowed-ranges")
                writer.array { $0.string("127.0.0.0/8") }
            }
        }
        writer.name("apps")
        writer.array { writer in
            for topic in [Self.topic] + moreTopics { writer.object { app(topic, &$0) } }
        }
    }

    private func app(_ topic: String, _ writer: inout JSONWriter) {
        writer.member("bundle-id", topic)
        writer.member("environment", Self.environment)
        writer.member("receipts", takesReceipts)
        if let endpointPushesPerSecond {
            writer.name("gateway")
            writer.object { writer in
                writer.member("origin", "https://push.example.com")
                writer.member("pushes-per-second", endpointPushesPerSecond)
            }
        }
        writer.name("credential")
        writer.object { writer in
            writer.member("key-file", folder + "/provider.p8")
            writer.member("key-id", Self.keyID)
            writer.member("team-id", Self.teamID)
        }
        writer.name("endpoint")
        writer.object { writer in
            writer.member("host", "localhost")
            writer.member("port", pushPort)
            writer.member("authorities-file", keys + "/ca.pem")
        }
        writer.name("placeholder")
        writer.object { writer in
            writer.member("title", "Acme Chat")
            writer.member("body", "You have a new message")
        }
    }
}
