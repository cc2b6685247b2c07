internal import Primitives

/// Draws the key of one encapsulation, and refuses to with a random source that stands still.
///
/// A repeated ephemeral key gives the same AEAD key and nonce for two messages, and with them both texts. So a second
/// number is drawn and thrown away: a source that is constant, or gives the same again for each call, shows. One that
/// repeats itself later does not, and no check in one call could see it.
enum EphemeralKey {
    /// - Throws: `.randomSourceFailed`.
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
