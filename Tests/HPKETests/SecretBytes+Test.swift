import Primitives

extension [UInt8] {
    /// A secret made of bytes that a test knows.
    var secret: SecretBytes { unsafe SecretBytes(copying: span.bytes) }
}
