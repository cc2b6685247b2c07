import Envelope
import Networking
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Enrolments with App Attest, from the challenge to the stored counter: the phone's key is one that this test made, under
/// a root of its own.
struct AttestedEnrolmentTests {
    private static let key = "spd_" + Base64URL.string(Array(repeating: 7, count: 32))

    /// App Attest on a phone: a key, and what Apple says of it.
    private struct Phone {
        let root: CertificateAuthority
        let key: KeyPair
        let signing: ES256Signer
        let keyID: [UInt8]

        init() throws {
            root = try CertificateAuthority(name: "Test App Attestation Root", key: KeyPair())
            let key = try KeyPair()
            self.key = key
            signing = try ES256Signer(key)
            keyID = SHA256.hash(signing.publicKey)
        }

        private static let appIDHash = SHA256.hash(Array("TEAM123456.com.example.chat".utf8))

        static func read(_ pem: [UInt8]) -> [TLSCertificate] { unsafe TLSCertificate.list(pem: pem.span.bytes) }

        func attestation(of clientDataHash: [UInt8]) throws -> [UInt8] {
            let data =
                Self.appIDHash + [0x40, 0, 0, 0, 0] + Array("appattest".utf8) + Array(repeating: 0, count: 7) + [0, 32]
                + keyID
            let nonce = CertificateAuthority.Extension(
                identifier: "1.2.840.113635.100.8.2",
                value: [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + SHA256.hash(data, clientDataHash)
            )
            let leaf = try root.issueClient(commonName: "credential", extensions: [nonce], for: key)
            let certificates = (Self.read(leaf) + Self.read(try root.certificatePEM)).map { CBOR.bytes($0.der) }
            return CBOR.map([
                ("fmt", CBOR.text("apple-appattest")), ("attStmt", CBOR.map([("x5c", CBOR.array(certificates))])),
                ("authData", CBOR.bytes(data)),
            ])
        }

        func assertion(of clientDataHash: [UInt8], counter: UInt8) throws -> [UInt8] {
            let data = Self.appIDHash + [0x40, 0, 0, 0, counter]
            let signature = try signing.derSignature(over: SHA256.hash(data, clientDataHash))
            return CBOR.map([("signature", CBOR.bytes(signature)), ("authenticatorData", CBOR.bytes(data))])
        }
    }

    private static func with(_ body: (ServerStage, Phone) async throws -> Void) async throws {
        let phone = try Phone()
        let rule = #","enrolment":{"by":"app-attest","team-id":"TEAM123456","root-file":"/root"}"#
        try await ServerStage.with(gateway: rule) { stage in
            let roots = Phone.read(try phone.root.certificatePEM)
            stage.context.replaceSettings(
                ServiceSettings(stage.context.settings.configuration, attestRoots: ["/root": roots])
            )
            // Certificates are of the machine's time.
            stage.advance(
                .seconds(
                    Int64(SystemClock.millisecondsSince1970 / 1_000) - Int64(ServerStage.start.milliseconds / 1_000)
                )
            )
            try await body(stage, phone)
        }
    }

    private static func challenge(_ stage: ServerStage, _ key: String = key) async throws -> [UInt8] {
        let reply = await stage.send("POST", "/v1/enrolments/challenge", key)
        return try #require(reply.string("challenge").flatMap { Base64URL.decode(Array($0.utf8)) }, "\(reply.text)")
    }

    /// Hash as docs/gateway.md has it.
    private static func clientDataHash(_ challenge: [UInt8], _ key: String, _ registration: [UInt8]) -> [UInt8] {
        let keyHash = SHA256.hash(Array("SealedPush/1 endpoint key".utf8), Array(key.utf8))
        return SHA256.hash(Array("SealedPush/1 enrolment".utf8), challenge, keyHash, SHA256.hash(registration))
    }

    private static func enrol(
        _ stage: ServerStage,
        _ phone: Phone,
        _ challenge: [UInt8],
        counter: UInt8? = nil,
        key: String = key,
        token: Int = 1,
        attestedToken: Int? = nil
    ) async throws -> ServerStage.Reply {
        let registration = Array(try ServerStage.device(token).utf8)
        let attested = Array(try ServerStage.device(attestedToken ?? token).utf8)
        let hash = clientDataHash(challenge, key, attested)
        let object = try counter.map { try phone.assertion(of: hash, counter: $0) } ?? phone.attestation(of: hash)
        let members = [
            ("registration", registration), ("challenge", challenge), ("key-id", phone.keyID),
            (counter == nil ? "attestation" : "assertion", object),
        ]
        let body = members.map { "\"\($0.0)\":\"\(Base64URL.string($0.1))\"" }.joined(separator: ",")
        return await stage.send("POST", "/v1/enrolments", key, body: "{\(body)}")
    }

    @Test func `a phone enrols with an attestation, then with assertions, each challenge and counter once`()
        async throws
    {
        try await Self.with { stage, phone in
            let first = try await Self.challenge(stage)
            let new = try await Self.enrol(stage, phone, first)
            #expect(new.status == 201, "\(new.text)")
            #expect(await stage.send("POST", "/v1/endpoints", Self.key, body: "{}").status == 201)
            let again = try await Self.enrol(stage, phone, first)
            #expect(again.status == 403 && again.problem == "not-proven")
            stage.advance(.seconds(60))
            let second = try await Self.challenge(stage)
            #expect(try await Self.enrol(stage, phone, second, counter: 1, token: 2).status == 200)
            // The same challenge, also with the next counter.
            #expect(try await Self.enrol(stage, phone, second, counter: 2).status == 403)
            stage.advance(.seconds(60))
            let third = try await Self.challenge(stage)
            #expect(try await Self.enrol(stage, phone, third, counter: 1).status == 403)
            #expect(try await Self.enrol(stage, phone, third, counter: 2).status == 200)
        }
    }

    @Test func `an object is good for its challenge, endpoint key and device token alone`() async throws {
        try await Self.with { stage, phone in
            let challenge = try await Self.challenge(stage)
            let other = "spd_" + Base64URL.string(Array(repeating: 8, count: 32))
            #expect(try await Self.enrol(stage, phone, challenge, key: other).status == 403)
            #expect(try await Self.enrol(stage, phone, challenge, token: 2, attestedToken: 1).status == 403)
            var forged = challenge
            forged[31] ^= 1
            #expect(try await Self.enrol(stage, phone, forged).status == 403)
            forged = challenge
            forged[7] ^= 1
            #expect(try await Self.enrol(stage, phone, forged).status == 403)
            // An assertion of a key that no attestation came of.
            #expect(try await Self.enrol(stage, phone, challenge, counter: 1).status == 403)
            let stranger = try Phone()
            let unknown = try await Self.enrol(stage, stranger, challenge)
            #expect(unknown.status == 403 && unknown.text.contains("root"), "\(unknown.text)")
            stage.advance(.seconds(301))
            #expect(try await Self.enrol(stage, phone, challenge).status == 403)
        }
    }

    @Test func `a key of App Attest is one device's`() async throws {
        try await Self.with { stage, phone in
            #expect(try await Self.enrol(stage, phone, try await Self.challenge(stage)).status == 201)
            let other = "spd_" + Base64URL.string(Array(repeating: 8, count: 32))
            let taken = try await Self.enrol(stage, phone, try await Self.challenge(stage, other), key: other)
            #expect(taken.status == 409 && taken.problem == "key-taken", "\(taken.text)")
        }
    }
}

/// CBOR as App Attest writes it.
private enum CBOR {
    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.flatMap(\.self) }
    static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { text($0.0) + $0.1 }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<24: [kind << 5 | UInt8(count)]
        case ..<256: [kind << 5 | 24, UInt8(count)]
        default: [kind << 5 | 25, UInt8(count >> 8), UInt8(count & 255)]
        }
    }
}

/// ECDSA with a certificate's key.
private struct ES256Signer {
    private let key: Key
    /// 65 bytes.
    let publicKey: [UInt8]

    private final class Key: Sendable {
        let key: ES256PrivateKey
        init(_ key: consuming ES256PrivateKey) { self.key = key }
    }

    init(_ pair: KeyPair) throws {
        key = try pair.withPrivateKeyPEM { pem in Result { Key(try ES256PrivateKey(pem: pem)) } }.get()
        let text = String(decoding: try pair.publicKeyPEM, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        let plain = text.joined().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        publicKey = Array(try #require(Base64URL.decode(Array(plain.utf8))).suffix(65))
    }

    func derSignature(over message: [UInt8]) throws -> [UInt8] {
        let raw = try key.key.signature(over: message)
        let halves = [raw.prefix(32), raw.suffix(32)].map { half -> [UInt8] in
            let digits = Array(half.drop { $0 == 0 })
            let number = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(halves[0].count + halves[1].count)] + halves[0] + halves[1]
    }
}
