import Glibc
import PushService
import TestCertificates
import TestSupport

/// A folder with a configuration and every file that it names, all valid.
final class DaemonFolder {
    let folder: TemporaryFolder
    let authority: TestAuthority
    /// The configuration's first text; `write` does not change it.
    let text: String

    var configuration: String { folder.path("sealedpushd.json") }

    /// `port` is one of 127.0.0.1; 0 is any.
    init(port: UInt16 = 0) throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority()
        let server = try authority.issue()
        let hash = APIKeyHash(of: Array("one".utf8)).text
        func path(_ name: String, _ bytes: [UInt8]) throws -> String {
            try folder.makeFile(name, String(decoding: bytes, as: UTF8.self))
        }
        text = """
            {
              "listen": [{"address": "127.0.0.1", "port": \(port)}],
              "tls": {
                "certificate-file": "\(try path("tls.pem", server.certificatePEM))",
                "key-file": "\(try path("tls.key", server.privateKeyPEM))"
              },
              "database-file": "\(folder.path("store.sqlite"))",
              "token-key-file": "\(try path("token.key", Array("TestTestTestTestTestTestTestTest_key_00-kew".utf8)))",
              "tenants": [{
                "id": "acme",
                "keys": [{"name": "back-end", "hash": "\(hash)", "scopes": ["send"]}],
                "webhook": {
                  "url": "https://hooks.example.com/push",
                  "secret-file": "\(try path("hook.key", Array("whsec_\(String(repeating: "A", count: 43))=\n".utf8)))"
                },
                "apps": [{
                  "bundle-id": "com.example.chat",
                  "environment": "production",
                  "credential": {
                    "key-file": "\(try path("a.p8", Array(ThrowawayKeys.firstPEM.utf8)))",
                    "key-id": "ABCDE12345", "team-id": "TEAM123456"
                  },
                  "endpoint": {
                    "host": "localhost", "port": 2197,
                    "authorities-file": "\(try path("ca.pem", authority.certificatePEM))"
                  },
                  "placeholder": {"loc-key": "SP_NEW"}
                }]
              }]
            }
            """
        self.folder = folder
        self.authority = authority
        try write(text)
    }

    func write(_ text: String) throws { _ = try folder.makeFile("sealedpushd.json", text) }

    func replacing(_ old: String, with new: String) -> String {
        text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }

    func change(_ name: String, _ text: String, mode: Int = 0o600) throws {
        _ = try folder.makeFile(name, text, mode: mode)
    }
}
