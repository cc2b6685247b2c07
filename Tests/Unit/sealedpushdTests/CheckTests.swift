import Glibc
import TestCertificates
import TestSupport
import Testing

/// `--check-config`, on valid and invalid files.
struct CheckTests {
    @Test func `a good configuration is ok, and nothing secret is in what it comes to`() throws {
        let folder = try DaemonFolder()
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 0, "\(ended.complaint)")
        let lines = ended.output.split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("certificates are valid for ") } == [
                "ok", "listens on 127.0.0.1:0 (https)", "database \(folder.folder.path("store.sqlite"))",
                "tenant acme: 1 key, with a webhook",
                "    app com.example.chat (production) by key to localhost:2197",
            ]
        )
        #expect(
            lines.contains {
                ["certificates are valid for 29 days", "certificates are valid for 30 days"].contains($0)
            }
        )
        // The check creates nothing.
        #expect(try !folder.folder.names().contains("store.sqlite"))
    }

    @Test func `a tenant that may send in clear, and keys that end, are shown`() throws {
        let folder = try DaemonFolder()
        let keys = #""scopes": ["send"], "expires": "2020-01-01T00:00:00Z"}],"#
        try folder.write(folder.replacing(#""scopes": ["send"]}],"#, with: keys + #""allows-clear-text": true,"#))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 0, "\(ended.complaint)")
        let lines = ended.output.split(separator: "\n")
        #expect(lines.contains("tenant acme: 1 key, with a webhook, allows clear text"))
        #expect(lines.contains("    key back-end has expired"))
    }

    @Test func `a tenant that may send in clear is in the audit log at each start and reload`() throws {
        let folder = try DaemonFolder()
        try folder.write(folder.replacing(#""id": "acme","#, with: #""id": "acme", "allows-clear-text": true,"#))
        let process = try DaemonProcess(["--config", folder.configuration])
        let isIt = { (line: String) in line.contains(#""event":"audit","act":"allows-clear-text","tenant":"acme""#) }
        #expect(process.lines(to: "ready").count(where: isIt) == 1)
        process.signal(SIGHUP)
        #expect(process.lines(to: "audit").count(where: isIt) == 1)
        process.signal(SIGTERM)
        _ = process.rest()
        #expect(process.wait() == 0)
    }

    /// One change of the configuration, and its line.
    @Test(
        arguments: [
            (#""port": 0"#, #""port": 70000"#, "2:47: /listen/0/port: expected a whole number from 0 to 65535"),
            (
                #""127.0.0.1", "port""#, #""localhost", "port""#,
                #"2:26: /listen/0/address: expected an address such as "0.0.0.0" or "::1""#
            ),
            (#""id": "acme""#, #""id": "Acme""#, "10:11: /tenants/0/id: expected 1 to 64 of a-z, 0-9 and hyphens"),
            (#""scopes": ["send"]"#, #""scopes": []"#, nil),
            (#""tenants""#, #""tenant""#, nil),
            (#""environment": "production""#, #""environment": "staging""#, nil),
            ("tls.pem", "no.pem", "4:25: /tls/certificate-file: there is no such file; check the path"),
            ("tls.key", "no.key", "5:17: /tls/key-file: there is no such file; check the path"),
            (
                "tls.key", "token.key",
                "5:17: /tls/key-file: the private key is not PEM that OpenSSL can read, or is encrypted"
            ),
            ("a.p8", "no.p8", "20:21: /tenants/0/apps/0/credential/key-file: there is no such file; check the path"),
            (
                "a.p8", "tls.pem",
                "20:21: /tenants/0/apps/0/credential/key-file: not a .p8 key from Apple (PEM, PKCS #8, P-256)"
            ),
            (
                "ca.pem", "token.key",
                "25:29: /tenants/0/apps/0/endpoint/authorities-file: not a PEM file of certificates"
            ),
            (
                "store.sqlite", "nowhere/store.sqlite",
                "7:20: /database-file: its folder does not exist; make it"
            ),
            (
                "hook.key", "no.key",
                "14:22: /tenants/0/webhook/secret-file: there is no such file; check the path"
            ),
        ] as [(String, String, String?)]
    )
    func `a wrong field gets its line (abuse case 101)`(_ change: (from: String, to: String, said: String?)) throws {
        let folder = try DaemonFolder()
        try folder.write(folder.replacing(change.from, with: change.to))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 78)
        #expect(ended.output == "")
        if let said = change.said {
            #expect(ended.complaint == "\(folder.configuration):\(said)\n")
        } else {
            #expect(ended.complaint.hasPrefix("\(folder.configuration):"))
        }
    }

    /// One change of a named file, and its line.
    @Test(
        arguments: [
            (
                "token.key", "short", 0o600,
                "8:21: /token-key-file: 5 bytes are not a key; a key has 32 random bytes, or 43 characters of base64url: make one with 'sealedpushd make-key FILE'"
            ),
            (
                "token.key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 0o600,
                "8:21: /token-key-file: the key is not random; make one with 'sealedpushd make-key FILE'"
            ),
            (
                "token.key", "TestTestTestTestTestTestTestTest_key_00-kew", 0o640,
                "8:21: /token-key-file: others may read the file (mode 0640); make it private: chmod 600"
            ),
            (
                "token.key", "TestTestTestTestTestTestTestTest_key_00-keZ", 0o600,
                "8:21: /token-key-file: 43 bytes are not a key; a key has 32 random bytes, or 43 characters of base64url: make one with 'sealedpushd make-key FILE'"
            ),
            (
                "a.p8", ThrowawayKeys.firstPEM, 0o644,
                "20:21: /tenants/0/apps/0/credential/key-file: others may read the file (mode 0644); make it private: chmod 600"
            ),
            (
                "hook.key", "short", 0o600,
                "14:22: /tenants/0/webhook/secret-file: not a secret of webhooks, which is 'whsec_' and the base64 of 24 to 64 random bytes; make one with 'echo whsec_$(openssl rand -base64 32)'"
            ),
            (
                "tls.key", ThrowawayKeys.firstPEM, 0o600,
                "5:17: /tls/key-file: the private key does not belong to the certificate"
            ),
            (
                "tls.pem", "nothing", 0o600,
                "4:25: /tls/certificate-file: the certificate is not PEM that OpenSSL can read"
            ),
            ("tls.key", "", 0o600, "5:17: /tls/key-file: the file is empty"),
        ] as [(String, String, Int, String)]
    )
    func `a wrong file gets the line of the field that names it (abuse case 101)`(
        _ change: (name: String, text: String, mode: Int, said: String)
    ) throws {
        let folder = try DaemonFolder()
        try folder.change(change.name, change.text, mode: change.mode)
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 78)
        #expect(ended.complaint == "\(folder.configuration):\(change.said)\n")
    }

    @Test func `a certificate that is over gets its line with both times, and the service does not start with it`()
        throws
    {
        let folder = try DaemonFolder()
        let old = try folder.authority.issue(validity: -2 * day ... -day)
        try folder.change("tls.pem", String(decoding: old.certificatePEM, as: UTF8.self))
        try folder.change("tls.key", String(decoding: old.privateKeyPEM, as: UTF8.self))
        for words in [["--check-config"], []] {
            let ended = try Ended(words + ["--config", folder.configuration])
            #expect(ended.code == 78)
            let place = "\(folder.configuration):4:25: /tls/certificate-file: the certificate "
            #expect(ended.complaint.hasPrefix(place + "has expired: it ended on "))
            #expect(ended.complaint.contains(", and this machine's clock says 2"))
            #expect(ended.complaint.hasSuffix("; renew it, or set the clock\n"))
        }
    }

    @Test func `a certificate that is not valid yet is taken, as this machine's clock may be behind (abuse case 98)`()
        throws
    {
        let folder = try DaemonFolder()
        let new = try folder.authority.issue(validity: day...2 * day)
        try folder.change("tls.pem", String(decoding: new.certificatePEM, as: UTF8.self))
        try folder.change("tls.key", String(decoding: new.privateKeyPEM, as: UTF8.self))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 0 && ended.complaint.isEmpty)
    }

    private var noSecret: String {
        "not a secret of webhooks, which is 'whsec_' and the base64 of 24 to 64 random bytes; make one "
            + "with 'echo whsec_$(openssl rand -base64 32)'"
    }

    @Test func `what posts are signed with, and who vouches for their receivers, is read too`() throws {
        let folder = try DaemonFolder()
        try folder.change("old.key", "short")
        let secret = #""secret-file": "\#(folder.folder.path("hook.key"))""#
        let old = #""old-secret-file": "\#(folder.folder.path("old.key"))""#
        let authorities = #""authorities-file": "\#(folder.folder.path("hook.key"))""#
        try folder.write(folder.replacing(secret, with: [secret, old, authorities].joined(separator: ",\n")))
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.code == 78)
        #expect(
            ended.complaint.split(separator: "\n").map { $0.dropFirst(folder.configuration.utf8.count) } == [
                ":15:20: /tenants/0/webhook/old-secret-file: \(noSecret)",
                ":16:21: /tenants/0/webhook/authorities-file: not a PEM file of certificates",
            ]
        )
        try folder.change("hook.key", "whsec_" + String(repeating: "A", count: 31))
        try folder.write(folder.text)
        let short = try Ended(["--check-config", "--config", folder.configuration])
        #expect(short.complaint.hasSuffix("/tenants/0/webhook/secret-file: \(noSecret)\n"))
    }

    @Test func `all wrong files are named at once`() throws {
        let folder = try DaemonFolder()
        for name in ["token.key", "tls.key", "a.p8"] { try folder.change(name, "x") }
        let ended = try Ended(["--check-config", "--config", folder.configuration])
        #expect(ended.complaint.split(separator: "\n").count == 3)
    }

    @Test func `a configuration that is not there, or no file, says so`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("none.json")
        let ended = try Ended(["--check-config", "--config", missing])
        #expect(ended.code == 78)
        #expect(ended.complaint == "\(missing): there is no such file; check the path\n")
        let ofFolder = try Ended(["--check-config", "--config", folder.path])
        #expect(ofFolder.code == 78)
        #expect(ofFolder.complaint == "\(folder.path): it is a folder; give the path of a file\n")
    }

    @Test func `a variable stands over the file, and one that is wrong is named`() throws {
        let folder = try DaemonFolder()
        let words = ["--check-config", "--config", folder.configuration]
        let good = try Ended(words, environment: ["SEALEDPUSH_LISTEN_PORT=9443", "SEALEDPUSH_LOOPBACK_PORT=9080"])
        #expect(good.output.hasPrefix("ok\nlistens on 127.0.0.1:9443 (https)\nlistens on 127.0.0.1:9080 (http)\n"))
        let wrong = try Ended(words, environment: ["SEALEDPUSH_TLS_KEY_FILE=/nowhere/canary"])
        #expect(wrong.code == 78)
        let said = "there is no such file; check the path"
        #expect(wrong.complaint == "environment variable SEALEDPUSH_TLS_KEY_FILE: /tls/key-file: \(said)\n")
    }

    @Test func `a command line that is wrong ends with 64`() throws {
        let ended = try Ended(["--confg", "/x"])
        #expect(ended.code == 64)
        #expect(
            ended.complaint.hasPrefix(
                "sealedpushd: there is no option '--confg'; did you mean '--config'?\nusage: sealedpushd --config FILE"
            )
        )
    }
}
