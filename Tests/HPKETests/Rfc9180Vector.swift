import Foundation
import Primitives
import TestSupport
import Testing

@testable import HPKE

/// One suite of the RFC's `test-vectors.json`, as its authors name the fields.
struct Rfc9180Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct Encryption: Decodable, Sendable {
        let aad, ct, nonce, pt: String
    }
    struct Export: Decodable, Sendable {
        let exporter_context: String
        let L: Int
        let exported_value: String
    }
    let mode, kem_id, kdf_id, aead_id: Int
    let info, ikmR, ikmE, skRm, skEm, pkRm, pkEm, enc: String
    let ikmS, skSm, pkSm, psk, psk_id: String?
    let shared_secret, key_schedule_context, secret, key, base_nonce, exporter_secret: String
    let encryptions: [Encryption]
    let exports: [Export]

    /// All 16, read once.
    static let all: [Rfc9180Vector] = {
        do {
            let file = try VectorFile("rfc9180-x25519-sha256.json", in: .module)
            return try JSONDecoder().decode([Rfc9180Vector].self, from: file.data)
        } catch {
            preconditionFailure("the vectors cannot be read: \(error)")
        }
    }()

    var testDescription: String { "mode \(mode), AEAD \(aead_id)" }

    var suite: CipherSuite {
        get throws {
            switch try #require(UInt16(exactly: aead_id).flatMap(AEAD.init)) {
            case .aes128GCM: .aes128GCM
            case .aes256GCM: .aes256GCM
            case .chaCha20Poly1305: .chaCha20Poly1305
            case .exportOnly: .exportOnly
            }
        }
    }

    func senderMode() throws -> SenderMode {
        switch mode {
        case 0: .base
        case 1: .psk(try preSharedKey())
        case 2: .auth(try Self.privateKey(#require(skSm)))
        default: .authPSK(AuthPSK(try Self.privateKey(#require(skSm)), try preSharedKey()))
        }
    }

    func recipientMode() throws -> RecipientMode {
        switch mode {
        case 0: .base
        case 1: .psk(try preSharedKey())
        case 2: .auth(try senderKey())
        default: .authPSK(AuthPSK(try senderKey(), try preSharedKey()))
        }
    }

    func senderContext() throws -> SenderContext {
        try SenderContext(
            suite,
            senderMode(),
            recipient: X25519PublicKey(rawRepresentation: Self.bytes(pkRm)),
            info: Self.bytes(info),
            ephemeral: Self.privateKey(skEm)
        )
    }

    func recipientContext() throws -> RecipientContext {
        try RecipientContext(
            suite,
            recipientMode(),
            encapsulatedKey: Self.bytes(enc),
            recipient: Self.privateKey(skRm),
            info: Self.bytes(info)
        )
    }

    static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    static func secret(_ hex: String) throws -> SecretBytes {
        let raw = try bytes(hex)
        return unsafe SecretBytes(copying: raw.span.bytes)
    }

    static func privateKey(_ hex: String) throws -> X25519PrivateKey {
        try X25519PrivateKey(rawRepresentation: secret(hex))
    }

    private func preSharedKey() throws -> PreSharedKey {
        try PreSharedKey(Self.secret(#require(psk)), id: Self.bytes(#require(psk_id)))
    }

    private func senderKey() throws -> X25519PublicKey {
        try X25519PublicKey(rawRepresentation: Self.bytes(#require(pkSm)))
    }
}

extension SecretBytes {
    /// In hexadecimal, to compare with a vector's.
    var hex: String { withBytes { Hex.encode([UInt8](copying: $0)) } }
}
