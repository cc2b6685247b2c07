import CryptoKit

// Apple's initialisers throw any error.
// error: thrown expression type 'any Error' cannot be converted
func read(_ bytes: [UInt8]) throws(CryptoKitError) -> Curve25519.Signing.PublicKey {
    try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
}
