import Primitives
import TestSupport
import Testing

@testable import HPKE

/// Keys of both sides, and every mode with them.
private struct Correspondents: ~Copyable {
    enum Kind: Int, CaseIterable { case base, psk, auth, authPSK }

    let recipient: X25519PrivateKey
    private let senderSecret: [UInt8]
    private let pskSecret: [UInt8]
    private let pskID: [UInt8] = [1, 2, 3]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        recipient = X25519PrivateKey(random: &random)
        senderSecret = random.bytes(count: 32)
        pskSecret = random.bytes(count: 32)
    }

    func sender(_ kind: Kind) throws -> SenderMode {
        switch kind {
        case .base: .base
        case .psk: .psk(try psk())
        case .auth: .auth(try senderKey())
        case .authPSK: .authPSK(AuthPSK(try senderKey(), try psk()))
        }
    }

    func receiver(_ kind: Kind) throws -> RecipientMode {
        switch kind {
        case .base: .base
        case .psk: .psk(try psk())
        case .auth: .auth(try senderKey().publicKey)
        case .authPSK: .authPSK(AuthPSK(try senderKey().publicKey, try psk()))
        }
    }

    func psk() throws -> PreSharedKey { try PreSharedKey(pskSecret.secret, id: pskID) }
    func senderKey() throws -> X25519PrivateKey { try X25519PrivateKey(rawRepresentation: senderSecret.secret) }
}

struct ModeTests {
    static let pairs = (0..<4).flatMap { sent in (0..<4).map { [sent, $0] } }

    /// The one AEAD without messages is compared by what it exports.
    @Test(arguments: pairs)
    func `a mode opens as itself and as no other (abuse case 42)`(_ pair: [Int]) throws {
        let (sent, received) = (
            try #require(Correspondents.Kind(rawValue: pair[0])), try #require(Correspondents.Kind(rawValue: pair[1]))
        )
        for suite in [CipherSuite.aes128GCM, .aes256GCM, .chaCha20Poly1305] {
            let keys = Correspondents(seed: 21)
            var random = SeededRandom(seed: 22)
            var sender = try SenderContext(
                suite,
                keys.sender(sent),
                recipient: keys.recipient.publicKey,
                info: [7],
                random: &random
            )
            let sealed = try sender.seal([1, 2, 3], aad: [])
            var receiver = try RecipientContext(
                suite,
                keys.receiver(received),
                encapsulatedKey: sender.encapsulatedKey,
                recipient: keys.recipient,
                info: [7]
            )
            let refused = refusal { () throws(HPKEError) in _ = try receiver.open(sealed[...], aad: []) }
            #expect(refused == (sent == received ? nil : .openFailed))
            let exported = try sender.export(context: [], byteCount: 32)
            let isSame = try receiver.export(context: [], byteCount: 32).isEqual(to: exported)
            #expect(isSame == (sent == received))
        }
    }

    @Test func `a suite opens nothing of another (abuse case 42)`() throws {
        let suites = [CipherSuite.aes128GCM, .aes256GCM, .chaCha20Poly1305]
        for (sentIndex, sent) in suites.enumerated() {
            for (receivedIndex, received) in suites.enumerated() where sentIndex != receivedIndex {
                var random = SeededRandom(seed: 23)
                let keys = Correspondents(seed: 24)
                let publicKey = keys.recipient.publicKey
                var sender = try SenderContext(sent, .base, recipient: publicKey, info: [], random: &random)
                let sealed = try sender.seal([1], aad: [])
                var receiver = try RecipientContext(
                    received,
                    .base,
                    encapsulatedKey: sender.encapsulatedKey,
                    recipient: keys.recipient,
                    info: []
                )
                let refused = refusal { () throws(HPKEError) in _ = try receiver.open(sealed[...], aad: []) }
                #expect(refused == .openFailed)
            }
        }
    }

    @Test func `another PSK, another id and another sender open nothing`() throws {
        let keys = Correspondents(seed: 25)
        let stranger = Correspondents(seed: 26)
        var random = SeededRandom(seed: 27)
        var sender = try SenderContext(
            .chaCha20Poly1305,
            keys.sender(.authPSK),
            recipient: keys.recipient.publicKey,
            info: [],
            random: &random
        )
        let sealed = try sender.seal([1], aad: [])
        let encapsulatedKey = sender.encapsulatedKey
        func opens(_ mode: borrowing RecipientMode) throws -> Bool {
            var receiver = try RecipientContext(
                .chaCha20Poly1305,
                mode,
                encapsulatedKey: encapsulatedKey,
                recipient: keys.recipient,
                info: []
            )
            return refusal { () throws(HPKEError) in _ = try receiver.open(sealed[...], aad: []) } == nil
        }
        let senderKey = try keys.senderKey().publicKey
        let own = try opens(.authPSK(AuthPSK(senderKey, keys.psk())))
        let otherPSK = try opens(.authPSK(AuthPSK(senderKey, stranger.psk())))
        let otherSender = try opens(.authPSK(AuthPSK(stranger.senderKey().publicKey, keys.psk())))
        #expect(own == true)
        #expect(otherPSK == false)
        #expect(otherSender == false)
    }

    @Test(arguments: [(0, 3), (32, 0), (31, 3), (1, 1), (0, 0)])
    func `an incomplete or short PSK is a typed refusal (abuse case 36)`(_ byteCount: Int, _ idByteCount: Int) {
        let secret = [UInt8](repeating: 9, count: byteCount)
        let id = [UInt8](repeating: 1, count: idByteCount)
        let expected: HPKEError =
            switch (byteCount, idByteCount) {
            case (0, 0): .missingPSK
            case (0, _): .pskIDWithoutPSK
            case (_, 0): .pskWithoutID
            default: .pskTooShort(byteCount: byteCount, byteCountMin: 32)
            }
        let refused = refusal { () throws(HPKEError) in _ = try PreSharedKey(secret.secret, id: id) }
        #expect(refused == expected)
    }

    @Test func `a sender key of low order authenticates nobody (abuse case 21)`() throws {
        let keys = Correspondents(seed: 28)
        let lowOrder = try X25519PublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        let encapsulatedKey = keys.recipient.publicKey.rawRepresentation
        let refused = refusal { () throws(HPKEError) in
            _ = try RecipientContext(
                .chaCha20Poly1305,
                .auth(lowOrder),
                encapsulatedKey: encapsulatedKey,
                recipient: keys.recipient,
                info: []
            )
        }
        #expect(refused == .lowOrderPublicKey)
    }

    @Test(arguments: Correspondents.Kind.allCases.map(\.rawValue))
    func `the export-only AEAD seals and opens nothing, and exports`(_ kind: Int) throws {
        let kind = try #require(Correspondents.Kind(rawValue: kind))
        let keys = Correspondents(seed: 29)
        var random = SeededRandom(seed: 30)
        let publicKey = keys.recipient.publicKey
        var sender = try SenderContext(
            .exportOnly,
            keys.sender(kind),
            recipient: publicKey,
            info: [],
            random: &random
        )
        var receiver = try RecipientContext(
            .exportOnly,
            keys.receiver(kind),
            encapsulatedKey: sender.encapsulatedKey,
            recipient: keys.recipient,
            info: []
        )
        #expect(refusal { () throws(HPKEError) in _ = try sender.seal([1], aad: []) } == .exportOnly)
        let bytes = [UInt8](repeating: 0, count: 17)
        #expect(refusal { () throws(HPKEError) in _ = try receiver.open(bytes[...], aad: []) } == .exportOnly)
        let exported = try sender.export(context: [4], byteCount: 100)
        let isSame = try receiver.export(context: [4], byteCount: 100).isEqual(to: exported)
        #expect(isSame)
    }
}
