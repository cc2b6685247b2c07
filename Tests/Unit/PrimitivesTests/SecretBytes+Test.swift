@testable import Primitives

extension [UInt8] {
    /// A secret made of bytes that a test knows.
    var secret: SecretBytes {
        SecretBytes(byteCount: count) { span in
            for (offset, byte) in enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
    }
}

extension SecretBytes {
    /// The bytes, to compare with a vector's.
    var revealed: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
