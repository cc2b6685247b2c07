import APNS
import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import PushService

struct ReceiptHashTests {
    @Test func `the hash is SHA-256 over the context and the capability, and tells neither`() throws {
        let capability = try #require(ReceiptCapability(rawRepresentation: Array(0..<16)))
        let hash = ReceiptHash(of: capability)
        #expect(hash.bytes == SHA256.hash([20] + Array("SealedPush/1 receipt".utf8) + Array(0..<16)))
        #expect(capability.receiptHash == hash.text)
        #expect(ReceiptHash(text: hash.text) == hash)
        #expect(ReceiptHash(text: String(hash.text.dropLast())) == nil)
        #expect(ReceiptHash(text: hash.text + "=") == nil)
    }

    @Test func `a capability is good once, and every answer is the same (protocol v1, rule 37)`() {
        #expect(ReceiptVerdict(isKnown: true, isUsed: false) == .received)
        #expect(ReceiptVerdict(isKnown: true, isUsed: true) == .repeated)
        #expect(ReceiptVerdict(isKnown: false, isUsed: false) == .unknown)
        #expect(ReceiptVerdict.answerStatus == 204)
        #expect(ReceiptCode.allCases == [.opened])
    }
}

struct WebhookSignatureTests {
    private let body = Array(#"{"state":"accepted"}"#.utf8)

    private func secret(_ byte: UInt8) -> SecretBytes {
        SecretBytes(byteCount: 32) {
            for offset in 0..<32 { $0.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
    }

    private func isValid(_ field: String, _ body: [UInt8], at now: Int64 = 1_700_000_000, byte: UInt8 = 1) -> Bool {
        WebhookSignature.isValid(field: field, body: body, unixSeconds: now, secret: secret(byte))
    }

    private var field: String { WebhookSignature.field(body: body, unixSeconds: 1_700_000_000, secret: secret(1)) }

    @Test func `a signature is HMAC-SHA256 over time, period and body`() {
        // Python: hmac.new(b"\1" * 32, b'1700000000.{"state":"accepted"}', "sha256").hexdigest()
        #expect(field == "t=1700000000,v1=3e891878b3523e54300317ff93148932269216c9412998c2b49064d822da01cc")
        #expect(isValid(field, body))
    }

    @Test func `a receiver refuses another body, secret or time`() {
        #expect(!isValid(field, body + [0]))
        #expect(!isValid(field, []))
        #expect(!isValid(field, body, byte: 2))
        #expect(isValid(field, body, at: 1_700_000_300) && !isValid(field, body, at: 1_700_000_301))
        #expect(isValid(field, body, at: 1_699_999_700) && !isValid(field, body, at: 1_699_999_699))
        #expect(!isValid("t=1700000001" + field.dropFirst("t=1700000000".count), body))
        for index in field.utf8.indices {
            var changed = Array(field.utf8)
            changed[field.utf8.distance(from: field.utf8.startIndex, to: index)] ^= 1
            #expect(!isValid(String(decoding: changed, as: UTF8.self), body))
        }
    }

    @Test func `one of several signatures is enough while a secret is replaced`() {
        let old = WebhookSignature.field(body: body, unixSeconds: 1_700_000_000, secret: secret(9))
        let both = old + "," + field.split(separator: ",")[1]
        #expect(isValid(both, body) && isValid(both, body, byte: 9) && !isValid(both, body, byte: 3))
        #expect(isValid(field + ",v2=later", body))
    }

    @Test(arguments: [
        "", ",", "t=", "v1=", "t=1700000000", "t=1700000000,t=1700000000,v1=x", "t=-1,v1=x",
        "t=99999999999999999999,v1=x",
        "t=9223372036854775807,v1=x", "t=\u{0661},v1=x", "t=0,v1=,v1=,v1=,v1=,v1=",
    ])
    func `what is no signature is refused`(_ field: String) {
        #expect(!isValid(field, body))
        #expect(!isValid(field, body, at: .min))
    }
}

struct WebhookTargetTests {
    @Test(arguments: [
        "http://example.com/", "ftp://example.com/", "//example.com", "https:example.com", "https://", "https:///a",
        "https://user@example.com/", "https://user:p@example.com/", "https://example.com/#f", "https://exa mple.com/",
        "https://example.com\\@evil.com/", "https://example.com:0/", "https://example.com:65536/",
        "https://example.com:/",
        "https://example.com:+1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/",
        "https://0177.0.0.1/", "https://127.0.0.01/", "https://example.1/", "https://example.com./",
        "https://.example.com/",
        "https://-a.com/", "https://[::1/", "https://[127.0.0.1]/", "https://[::1%25lo]/", "https://[::1]x/",
        "https://ex\u{e4}mple.com/",
        "https://example.com/\n", "https://example.com/\u{0}", "https://\u{ff11}27.0.0.1/",
    ])
    func `a URL that two readers could read in two ways is no target (abuse case 59)`(_ url: String) {
        #expect(WebhookTarget(url) == nil)
    }

    @Test func `a target is host, port and path`() throws {
        let target = try #require(WebhookTarget("https://Hooks.Example.com:8443/a/b?c=d"))
        #expect(target.isTLS && target.host == "hooks.example.com" && target.port == 8_443 && target.path == "/a/b?c=d")
        #expect(target.literal == nil)
        #expect(WebhookTarget("https://example.com")?.path == "/")
        #expect(WebhookTarget("https://example.com?a")?.path == "/?a")
        #expect(WebhookTarget("https://[2001:4860::1]/")?.literal == IPAddress("2001:4860::1"))
        #expect(WebhookTarget("http://10.0.0.1/", allowsPlainHTTP: true)?.port == 80)
    }

    @Test(arguments: [
        ("127.0.0.1", AddressJudge.Refusal.loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
        ("10.1.2.3", .privateUse),
        ("172.16.0.1", .privateUse), ("172.31.255.255", .privateUse), ("192.168.1.1", .privateUse),
        ("fd00::1", .privateUse),
        ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal), ("100.64.0.1", .carrierGradeNAT),
        ("224.0.0.1", .multicast),
        ("ff02::1", .multicast), ("0.0.0.0", .reserved), ("::", .reserved), ("255.255.255.255", .reserved),
        ("192.0.2.1", .reserved),
        ("198.18.0.1", .reserved), ("2001:db8::1", .reserved), ("2001::1", .reserved), ("::ffff:127.0.0.1", .loopback),
        ("::ffff:a9fe:a9fe", .linkLocal), ("64:ff9b::a00:1", .privateUse), ("2002:7f00:1::", .loopback),
        ("::ffff:8.8.8.8", .translated),
        ("64:ff9b::808:808", .translated), ("2002:808:808::1", .translated), ("::127.0.0.1", .reserved),
        ("64:ff9b:1::1", .reserved),
    ])
    func `an address that is not public is refused, in whatever clothes (abuse case 59)`(
        _ example: (text: String, refusal: AddressJudge.Refusal)
    ) throws {
        let address = try #require(IPAddress(example.text))
        #expect(AddressJudge.refusal(of: address) == example.refusal)
    }

    @Test(arguments: [
        "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "2001:4860:4860::8888",
        "2606:4700::1111",
    ])
    func `a public address is permitted`(_ text: String) throws {
        #expect(AddressJudge.refusal(of: try #require(IPAddress(text))) == nil)
    }

    @Test func `one refused address refuses what a name resolved to (abuse case 59)`() throws {
        let good = try #require(IPAddress("8.8.8.8"))
        let bad = try #require(IPAddress("10.0.0.1"))
        #expect(try AddressJudge.permitted([good]) == [good])
        #expect(throws: AddressJudge.Refusal.privateUse) { try AddressJudge.permitted([good, bad]) }
        #expect(throws: AddressJudge.Refusal.none) { try AddressJudge.permitted([]) }
    }

    @Test func `a configured range is reached, and nothing beside it`() throws {
        let range = try #require(IPRange("10.1.0.0/16"))
        func refusal(_ text: String, _ ranges: [IPRange]) throws -> AddressJudge.Refusal? {
            AddressJudge.refusal(of: try #require(IPAddress(text)), allowing: ranges)
        }
        #expect(try refusal("10.1.255.255", [range]) == nil)
        #expect(try refusal("10.2.0.0", [range]) == .privateUse)
        let translated = try #require(IPRange("64:ff9b::/96"))
        #expect(try refusal("64:ff9b::808:808", [translated]) == nil)
        #expect(try refusal("64:ff9b::a01:1", [translated]) == .privateUse)
        #expect(try refusal("64:ff9b::a01:1", [translated, range]) == nil)
        for text in [
            "10.1.0.1/16", "10.0.0.0/33", "10.0.0.0", "10.0.0.0/", "/8", "10.0.0.0/8/8", "::/129", "10.0.0.0/+8",
        ] {
            #expect(IPRange(text) == nil)
        }
    }

    @Test func `any text is an address, a target or neither`() {
        var random = SeededRandom(seed: RunSeed.here())
        let pieces = [
            "https://", "a", "1", ".", ":", "[", "]", "@", "/", "::", "0x", "\u{0}", "%", "?", "\u{1F600}", "ffff",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }.joined()
            if let target = WebhookTarget(text) { #expect(WebhookTarget.isHost(target.host)) }
            if let address = IPAddress(text) { #expect([4, 16].contains(address.bytes.count)) }
            _ = IPRange(text)
        }
    }

    @Test func `clients of one household of IPv6 are one client`() throws {
        let one = try #require(IPAddress("2001:4860:1:2:3::4")).client
        #expect(one == (try #require(IPAddress("2001:4860:1:2:ffff::")).client))
        #expect(one != (try #require(IPAddress("2001:4860:1:3::")).client))
        let v4 = try #require(IPAddress("8.8.8.8"))
        #expect(v4.client == v4)
    }
}
