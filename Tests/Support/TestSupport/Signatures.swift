/// Ed25519 signatures: RFC 8032's on Linux, random ones by CryptoKit.
package enum Signatures {
    #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
    package static let areRepeatable = false
    #else
    package static let areRepeatable = true
    #endif
}
