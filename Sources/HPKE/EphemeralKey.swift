internal import Primitives

/// Draws the key of one encapsulation.
///
/// A repeated ephemeral key gives two messages the same AEAD key and nonce, which exposes both texts. A second draw for
/// comparison detects a constant source; later repetition is undetectable here.
enum EphemeralKey {
    static func draw(from random: inout some RandomSource) throws(HPKEError) -> X25519PrivateKey {
        let scalar = random.secret(byteCount: X25519PrivateKey.byteCount)
        let next = random.secret(byteCount: X25519PrivateKey.byteCount)
        guard !scalar.isEqual(to: next) else { throw .randomSourceFailed }
        do {
            return try X25519PrivateKey(rawRepresentation: scalar)
        } catch {
            preconditionFailure("32 bytes are a private key")
        }
    }
}
