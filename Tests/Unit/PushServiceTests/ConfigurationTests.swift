import APNS
import Envelope
import HTTP
import Networking
import PushStore
import ServiceParts
import TestSupport
import Testing

@testable import PushService

struct ConfigurationTests {
    @Test func `a webhook may name the secret of before, and who vouches for its receiver`() throws {
        let plain = try #require(try ExampleConfiguration.read().tenants[0].webhook)
        #expect(plain.oldSecretFile == nil && plain.authoritiesFile == nil && plain.eventsPerCall == 1)
        let more =
            #""secret-file": "/etc/sealedpush/hook.key", "old-secret-file": "/old", "authorities-file": "/ca", "#
            + #""events-per-call": 100"#
        let changed = try ExampleConfiguration.read(
            replacing: #""secret-file": "/etc/sealedpush/hook.key""#,
            with: more
        )
        let webhook = try #require(changed.tenants[0].webhook)
        #expect(webhook.oldSecretFile == "/old" && webhook.authoritiesFile == "/ca")
        #expect(webhook.eventsPerCall == 100)
    }

    @Test func `everything in the file is in the configuration`() throws {
        let configuration = try ExampleConfiguration.read()
        #expect(configuration.listens == [ServiceConfiguration.Listen(address: "0.0.0.0", port: 8443)])
        #expect(configuration.loopbackPort == 8080)
        #expect(configuration.tls.keyFile == "/etc/sealedpush/tls.key")
        #expect(configuration.limits.recipientCountMax == 500)
        #expect(configuration.limits.receiptCountMax == ServiceLimits().receiptCountMax)
        let tenant = try #require(configuration.tenants.first)
        #expect(tenant.quotaPerDay == 5_000)
        #expect(tenant.webhook?.target.host == "hooks.example.com")
        #expect(tenant.apps.count == 2)
        #expect(tenant.apps[0].fallback?.kind == .sms)
        #expect(tenant.apps[0].fallback?.afterSeconds == 90)
        #expect(tenant.apps[1].endpoint?.port == 2197)
        #expect(tenant.apps[1].environment == .sandbox)
        #expect(!tenant.apps[1].takesReceipts)
        let grant = configuration.accessTable.grant(for: Array("one".utf8))
        #expect(grant == Grant(tenant: .named("acme"), keyName: "back-end", scopes: Scopes([.send, .read])))
    }

    @Test(arguments: [
        (
            #""loopback-port": 8080"#, #""loopback-prt": 8080"#,
            "3:3: /loopback-prt: unknown field 'loopback-prt'; did you mean 'loopback-port'?"
        ),
        (#""port": 8443"#, #""port": 99999"#, "2:45: /listen/0/port: expected a whole number from 0 to 65535"),
        (#""0.0.0.0""#, #""127.1""#, #"2:26: /listen/0/address: expected an address such as "0.0.0.0" or "::1""#),
        (#""id": "acme""#, #""id": "Acme""#, "10:13: /tenants/0/id: expected 1 to 64 of a-z, 0-9 and hyphens"),
        (
            #""receipts": true,"#, "",
            #"26:23: /tenants/0/apps/0/fallback: a fallback needs receipts; set "receipts" to true, or leave the fallback out"#
        ),
        (
            #""team-id": "TEAM123456""#, #""team-id": "TEAM""#,
            "23:97: /tenants/0/apps/0/credential/team-id: expected 10 letters and digits, as Apple shows them"
        ),
        (
            #", "port": 2197"#, "",
            "35:23: /tenants/0/apps/1/endpoint/port: missing; write a whole number from 1 to 65535"
        ),
        (
            "https://hooks", "http://hooks",
            "18:26: /tenants/0/webhook/url: expected an absolute https URL without user, fragment or spaces"
        ),
        (
            #""environment": "sandbox""#, #""environment": "production""#,
            "32:24: /tenants/0/apps/1/bundle-id: the same as /tenants/0/apps/0/bundle-id; keep one of the two apps, or give them two environments"
        ),
        (
            #""name": "admin""#, #""name": "back-end""#,
            "13:18: /tenants/0/keys/1/name: the same as /tenants/0/keys/0/name; give each key its own, by which the audit log tells them apart"
        ),
        (
            #""team-id": "TEAM123456""#, #""team-id": "TEAM123456", "password-file": "/a""#,
            "23:128: /tenants/0/apps/0/credential/password-file: belongs to the other kind of credential; leave it out"
        ),
        (
            #""loopback-port": 8080"#, #""loopback-port": 8080, "spans": {"url": "ftp://otel/v1/traces"}"#,
            "3:43: /spans/url: expected an absolute http or https URL without user, fragment or spaces"
        ),
        (
            #""loopback-port": 8080"#, #""loopback-port": 8080, "spans": {"url": "http://otel/v1/traces", "rate": 1}"#,
            "3:68: /spans/rate: unknown field 'rate'; known are url, authorities-file"
        ),
        (
            #""loopback-port": 8080"#, #""loopback-port": 8080, "spans": {}"#,
            "3:35: /spans/url: missing; write an absolute http or https URL without user, fragment or spaces"
        ),
    ])
    func `a fault is named with its line, its field and what to write (abuse case 101)`(
        _ change: (from: String, to: String, said: String)
    ) {
        #expect(ExampleConfiguration.faults(replacing: change.from, with: change.to) == [change.said])
    }

    @Test func `all faults are named at once`() {
        let file = Array(#"{"listen": [], "tls": {}, "tenants": 3, "x": 1}"#.utf8)
        let error = refusal { () throws(ConfigurationErrors) in _ = try ServiceConfiguration(file: file) }
        #expect(
            error?.faults.map(\.pointer) == [
                "/x", "/listen", "/tls/certificate-file", "/tls/key-file", "/database-file", "/token-key-file",
                "/tenants",
            ]
        )
    }

    @Test func `of names that nobody knows the first 32 are told, and no more are looked at`() {
        let members = (0..<100).map { #""name-\#($0)": 1"# }.joined(separator: ", ")
        let file = Array("{\(members)}".utf8)
        let variables = (0..<100).map { ("SEALEDPUSH_NAME_\($0)", "1") }
        for environment in [[:], Dictionary(uniqueKeysWithValues: variables)] {
            let error = refusal { () throws(ConfigurationErrors) in
                _ = try ServiceConfiguration(file: file, environment: environment)
            }
            #expect(error?.faults.count == 32)
        }
        var lookedAt = 0
        func problem(_ number: Int) -> String {
            lookedAt += 1
            return "unknown field"
        }
        let faults = FieldErrors()
        for number in 0..<100 { faults.add(.unknown, .root, at: number, problem(number)) }
        #expect(faults.all.count == 32 && lookedAt == 32)
    }

    @Test(
        arguments: [
            ("127.0.0.1", "loopback", "127.0.0.0/8"), ("[::1]:8443", "loopback", "::1/128"),
            ("10.1.2.3", "private", "10.0.0.0/8"), ("169.254.169.254", "link-local", "169.254.0.0/16"),
            ("[fd00::7]", "private", "fd00::/8"), ("0.0.0.0", "reserved", "0.0.0.0/8"),
            ("[::ffff:10.1.2.3]", "private", nil), ("localhost", "loopback", "127.0.0.0/8"),
            ("hooks.localhost", "loopback", "::1/128"), ("hooks.invalid", nil, nil),
        ] as [(String, String?, String?)]
    )
    func `a webhook to an address that is always refused is a fault, unless its range is allowed`(
        _ example: (host: String, why: String?, range: String?)
    ) throws {
        let (from, to) = (#""https://hooks.example.com/push?x=1""#, #""https://\#(example.host)/""#)
        let faults = ExampleConfiguration.faults(replacing: from, with: to)
        #expect(faults.count == 1 && faults[0].hasPrefix("18:26: /tenants/0/webhook/url: no "), "\(faults)")
        if let why = example.why { #expect(faults[0].contains("(\(why))")) }
        guard let range = example.range else { return }
        let allowed = to + #", "allowed-ranges": ["\#(range)"]"#
        #expect(ExampleConfiguration.faults(replacing: from, with: allowed).isEmpty)
    }

    @Test func `a key may have an end, a time of UTC`() throws {
        let scopes = #""scopes": ["send", "read"]"#
        func read(_ time: String) throws(ConfigurationErrors) -> ServiceConfiguration {
            try ExampleConfiguration.read(replacing: scopes, with: scopes + #", "expires": "\#(time)""#)
        }
        let keys = try read("2027-01-01T00:00:00Z").tenants[0].keys
        #expect(keys.map(\.end) == [1_798_761_600, nil])
        for wrong in ["2027-01-01", "2027-01-01T00:00:00", "2027-13-01T00:00:00Z", "2027-01-01T00:00:00+00:00", "0"] {
            let error = refusal { () throws(ConfigurationErrors) in _ = try read(wrong) }
            #expect(error?.faults.map(\.pointer) == ["/tenants/0/keys/0/expires"], "\(wrong)")
        }
    }

    @Test func `a file that is no JSON says where`() {
        #expect(
            ExampleConfiguration.faults(replacing: "8080,", with: "8080") == [
                "4:3: expected ',' or the closing bracket"
            ]
        )
    }

    @Test func `the feedback service of before 2021 is read with a certificate only`() throws {
        let feedback = #""password-file": "/etc/sealedpush/b.pw", "feedback": {"host": "localhost", "port": 2196}"#
        let read = try ExampleConfiguration.read(
            replacing: #""password-file": "/etc/sealedpush/b.pw""#,
            with: feedback
        )
        #expect(read.tenants[0].apps[0].feedback == nil)
        #expect(read.tenants[0].apps[1].feedback == AppConfiguration.Feedback(host: "localhost", port: 2196))
        let faults = ExampleConfiguration.faults(
            replacing: #""team-id": "TEAM123456""#,
            with: #""team-id": "TEAM123456", "feedback": {"host": "localhost", "port": 0}"#
        )
        #expect(faults.count == 2 && faults.allSatisfy { $0.contains("/credential/feedback") })
    }

    @Test func `proxies are believed where they are named`() throws {
        #expect(try ExampleConfiguration.read().proxies == nil)
        let start = #""loopback-port": 8080,"#
        func read(_ proxies: String) throws -> ProxyConfiguration? {
            try ExampleConfiguration.read(replacing: start, with: start + #" "proxies": "# + proxies + ",").proxies
        }
        let range = try #require(IPRange("10.0.0.0/8"))
        #expect(
            try read(#"{"ranges": ["10.0.0.0/8"]}"#) == ProxyConfiguration(ranges: [range], field: .forwarded)
        )
        #expect(
            try read(#"{"ranges": ["10.0.0.0/8"], "field": "x-forwarded-for"}"#)
                == ProxyConfiguration(ranges: [range], field: .xForwardedFor)
        )
        for wrong in [
            "{}", #"{"ranges": []}"#, #"{"ranges": ["10.0.0.1"]}"#, #"{"ranges": ["10.0.0.1/8"]}"#, #"["10.0.0.0/8"]"#,
            #"{"ranges": ["10.0.0.0/8"], "field": "x-real-ip"}"#, #"{"ranges": ["10.0.0.0/8"], "trust": true}"#,
        ] {
            #expect(throws: ConfigurationErrors.self, "\(wrong)") { _ = try read(wrong) }
        }
    }

    @Test func `no value is repeated in a fault (abuse case 93)`() {
        let canary = "spk_CANARYcanaryCANARYcanaryCANARYcanaryCANARYc"
        for replaced in ["0.0.0.0", "acme", ExampleConfiguration.hash, "ABCDE12345", "sms", "SP_NEW", "8443"] {
            let faults = ExampleConfiguration.faults(replacing: replaced, with: canary + canary)
            #expect(!faults.joined().contains("CANARY"), "in place of \(replaced)")
        }
        let asName = ExampleConfiguration.faults(replacing: "\"quota-per-day\"", with: "\"\(canary)\"")
        #expect(asName.count == 1 && !asName.joined().contains("CANARY"))
    }

    @Test func `variables stand over the file`() throws {
        let environment = [
            "SEALEDPUSH_LISTEN_ADDRESS": "::1", "SEALEDPUSH_LISTEN_PORT": "9443", "SEALEDPUSH_LOOPBACK_PORT": "9080",
            "SEALEDPUSH_TLS_CERTIFICATE_FILE": "/a", "SEALEDPUSH_TLS_KEY_FILE": "/b",
            "SEALEDPUSH_DATABASE_FILE": "/c", "SEALEDPUSH_TOKEN_KEY_FILE": "/d", "PATH": "/usr/bin",
        ]
        let configuration = try ExampleConfiguration.read(environment: environment)
        #expect(configuration.listens == [ServiceConfiguration.Listen(address: "::1", port: 9443)])
        #expect(configuration.loopbackPort == 9080)
        #expect(configuration.tls == ServiceConfiguration.TLSFiles(certificateFile: "/a", keyFile: "/b"))
        #expect(configuration.database == .file("/c"))
        #expect(configuration.tokenKeyFile == "/d")
    }

    /// Example's tenants, as JSON.
    private static var tenants: String {
        let parts = ExampleConfiguration.text.split(separator: "\"tenants\": ", maxSplits: 1)
        return String(parts[1].dropLast())
    }

    @Test func `each field of the file and each limit has a variable`() throws {
        let limits = Dictionary(
            uniqueKeysWithValues: ServiceLimits.settings.map { setting in
                let name = setting.name.uppercased().replacing("-", with: "_")
                return ("SEALEDPUSH_LIMITS_" + name, "\(setting.range.upperBound)")
            }
        )
        let fields = [
            "SEALEDPUSH_LISTEN": #"[{"address": "127.0.0.1", "port": 1}, {"address": "::1", "port": 2}]"#,
            "SEALEDPUSH_LISTEN_PORT": "3",
            "SEALEDPUSH_PROXIES": #"{"ranges": ["10.0.0.0/8"]}"#,
            "SEALEDPUSH_SOCKET": #"{"path": "/run/relay.sock"}"#,
            "SEALEDPUSH_TENANTS": Self.tenants.replacing("\"acme\"", with: "\"other\""),
        ]
        let configuration = try ExampleConfiguration.read(environment: limits.merging(fields) { $1 })
        #expect(configuration.listens.map(\.port) == [3, 2])
        #expect(configuration.proxies?.contains(try #require(IPAddress("10.1.2.3"))) == true)
        #expect(configuration.socket?.path == "/run/relay.sock")
        #expect(configuration.tenants.first?.id.text == "other")
        for setting in ServiceLimits.settings {
            #expect(configuration.limits[keyPath: setting.path] == Int(setting.range.upperBound), "\(setting.name)")
        }
        let names = ConfigurationEnvironment.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(ConfigurationEnvironment.all.map { $0.path[0] }) == Set(ServiceConfiguration.names))
    }

    @Test func `a variable that is wrong is named, and its value is not`() {
        #expect(
            ExampleConfiguration.faults(environment: ["SEALEDPUSH_LISTEN_PORT": "canary"]) == [
                "environment variable SEALEDPUSH_LISTEN_PORT: /listen/0/port: expected a whole number from 0 to 65535"
            ]
        )
        #expect(
            ExampleConfiguration.faults(environment: ["SEALEDPUSH_DATABASE_FIL": "canary"]) == [
                "environment variable SEALEDPUSH_DATABASE_FIL: unknown variable; did you mean SEALEDPUSH_DATABASE_FILE?"
            ]
        )
        #expect(
            ExampleConfiguration.faults(environment: ["SEALEDPUSH_TENANTS": "[{canary}]"]) == [
                "environment variable SEALEDPUSH_TENANTS: expected JSON; expected a name in double quotes or '}'"
            ]
        )
        #expect(
            ExampleConfiguration.faults(environment: ["SEALEDPUSH_LISTEN": #"[{"address": "canary", "port": 1}]"#]) == [
                "environment variable SEALEDPUSH_LISTEN: /listen/0/address: expected an address such as \"0.0.0.0\" or"
                    + " \"::1\""
            ]
        )
    }

    @Test func `any bytes are a configuration or faults`() {
        var random = SeededRandom(seed: RunSeed.here())
        let original = Array(ExampleConfiguration.text.utf8)
        let pieces = ["{", "}", "[", "]", "\"", ":", ",", "null", "-1", "1e9", "\\u0000", "tenants", "\u{0}"].map {
            Array($0.utf8)
        }
        for round in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
                bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            do throws(ConfigurationErrors) {
                _ = try ServiceConfiguration(file: bytes)
            } catch {
                #expect(!error.faults.isEmpty, "round \(round)")
            }
        }
    }

    @Test
    func `what is not set of connections is as the server for HTTP has it, and everything that is set gets there`() {
        let (untouched, http) = (FrontPart.limits(ServiceLimits()), HTTPLimits())
        #expect(Self.connections(untouched) == Self.connections(http))
        var limits = ServiceLimits()
        let names = [
            "connections", "connections-of-address", "loopback-connections", "requests-of-connection",
            "handshake-seconds",
            "request-seconds", "answer-seconds", "idle-seconds",
        ]
        for (index, name) in names.enumerated() {
            let setting = ServiceLimits.settings.first { $0.name == name }
            #expect(setting?.range.contains(Int64(101 + index)) ?? false, "\(name)")
            if let setting { limits[keyPath: setting.path] = 101 + index }
        }
        #expect(Self.connections(FrontPart.limits(limits)) == (101..<109).map { "\($0)" })
    }

    private static func connections(_ limits: HTTPLimits) -> [String] {
        let counts = [
            limits.connectionCountMax, limits.connectionCountPerAddressMax, limits.loopbackConnectionCountMax,
            Int(limits.maxConcurrentStreams),
        ]
        let times = [limits.handshakeDeadline, limits.requestDeadline, limits.responseDeadline, limits.idleDeadline]
        return counts.map(String.init) + times.map { "\(Int64($0 / .seconds(1)))" }
    }

    @Test func `every setting's default is in its own range`() {
        for setting in ServiceLimits.settings {
            #expect(setting.range.contains(Int64(ServiceLimits()[keyPath: setting.path])), "\(setting.name)")
        }
    }
}
