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
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let body = #"{"test": 2432232314}"#

    private func value(
        _ id: String = Self.id,
        unixSeconds: Int64 = 1_614_265_330,
        body: String = Self.body,
        secret text: String = Self.secret
    ) throws -> String {
        let text = Array(text.utf8)
        guard let secret = unsafe WebhookSecret.decode(text.span.bytes) else { return "no secret" }
        return WebhookSignature.value(id, unixSeconds: unixSeconds, body: Array(body.utf8), secret: secret)
    }

    @Test func `a signature is what others make of the same`() throws {
        // Value of Webhook(secret).sign(id, time, body) in PyPI's standardwebhooks 1.1.0.
        #expect(try value() == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `another id, time, body or secret has another`() throws {
        let other = Self.secret.replacing("MfKQ", with: "MfKR")
        let all = [
            try value(), try value(Self.id + "0"), try value(unixSeconds: 1_614_265_331),
            try value(body: Self.body + " "), try value(body: ""), try value(secret: other),
        ]
        #expect(Set(all).count == all.count && all.allSatisfy { $0.hasPrefix("v1,") && $0.utf8.count == 47 })
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
        ("127.0.0.1", AddressError.loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
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
        _ example: (text: String, refusal: AddressError)
    ) throws {
        let address = try #require(IPAddress(example.text))
        #expect(AddressFilter.refusal(of: address) == example.refusal)
    }

    @Test(arguments: [
        "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "2001:4860:4860::8888",
        "2606:4700::1111",
    ])
    func `a public address is permitted`(_ text: String) throws {
        #expect(AddressFilter.refusal(of: try #require(IPAddress(text))) == nil)
    }

    @Test func `one refused address refuses what a name resolved to (abuse case 59)`() throws {
        let good = try #require(IPAddress("8.8.8.8"))
        let bad = try #require(IPAddress("10.0.0.1"))
        #expect(try AddressFilter.permitted([good]) == [good])
        #expect(throws: AddressError.privateUse) { try AddressFilter.permitted([good, bad]) }
        #expect(throws: AddressError.none) { try AddressFilter.permitted([]) }
    }

    @Test func `a configured range is reached, and nothing beside it`() throws {
        let range = try #require(IPRange("10.1.0.0/16"))
        func refusal(_ text: String, _ ranges: [IPRange]) throws -> AddressError? {
            AddressFilter.refusal(of: try #require(IPAddress(text)), allowing: ranges)
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
