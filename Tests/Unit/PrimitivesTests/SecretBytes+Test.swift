@testable import Primitives

extension [UInt8] {
    var secret: SecretBytes {
        SecretBytes(byteCount: count) { span in
            for (offset, byte) in enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
    }
}

extension SecretBytes {
    var revealed: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
