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
    let mode, kem_id, kdf_id, aead_id: Int
    let info, skRm, skEm, pkRm, pkEm, enc: String
    let shared_secret, key, base_nonce: String
    let encryptions: [Encryption]

    /// All 12, read once.
    static let all: [Rfc9180Vector] = {
        do {
            let file = try VectorFile("rfc9180-x25519-sha256.json", in: .module)
            return try JSONDecoder().decode([Rfc9180Vector].self, from: file.data)
        } catch {
            preconditionFailure("the vectors cannot be read: \(error)")
        }
    }()

    /// The suite and mode in use.
    static let used = all[0]

    var testDescription: String { "mode \(mode), AEAD \(aead_id)" }

    static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    static func privateKey(_ hex: String) throws -> X25519PrivateKey {
        let raw = try bytes(hex)
        return try X25519PrivateKey(rawRepresentation: unsafe SecretBytes(copying: raw.span.bytes))
    }
}

extension SecretBytes {
    var hex: String { withBytes { Hex.encode([UInt8](copying: $0)) } }
}
