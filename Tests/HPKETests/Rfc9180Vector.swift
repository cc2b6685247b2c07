import Foundation
import TestSupport

/// One suite of the RFC's `test-vectors.json`, as its authors name the fields.
struct Rfc9180Vector: Decodable {
    struct Encryption: Decodable {
        let aad, ct, nonce, pt: String
    }
    struct Export: Decodable {
        let exporter_context: String
        let L: Int
        let exported_value: String
    }
    let mode, kem_id, kdf_id, aead_id: Int
    let info, skRm, skEm, pkRm, pkEm, enc: String
    let shared_secret, key, base_nonce, exporter_secret: String
    let encryptions: [Encryption]
    let exports: [Export]

    static func load() throws -> [Rfc9180Vector] {
        let file = try VectorFile("rfc9180-base-x25519-sha256-chacha20poly1305.json", in: .module)
        return try JSONDecoder().decode([Rfc9180Vector].self, from: file.data)
    }
}
