/// A source of random bytes, as a parameter so that test vectors can use fixed bytes. Entry points for applications use
/// `SystemRandom`.
package protocol RandomSource {
    mutating func fill(_ span: inout MutableRawSpan)
}

/// The system's cryptographic random generator: getrandom on Linux, through libsodium.
package struct SystemRandom: RandomSource, Sendable {
    /// The thread sanitizer crashed on an empty `inout` value, which has no address.
    private let addressable: UInt8 = 0

    package init() {}

    package mutating func fill(_ span: inout MutableRawSpan) {
        Provider.fillWithRandom(&span)
    }
}

extension RandomSource {
    /// Draws `count` public bytes, such as ids and traces.
    package mutating func bytes(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var elements = bytes.mutableSpan
        var span = unsafe elements.mutableBytes
        fill(&span)
        return bytes
    }

    package mutating func secret(byteCount: Int, storage: SecretBytes.Storage = .plain) -> SecretBytes {
        SecretBytes(byteCount: byteCount, storage: storage) { fill(&$0) }
    }
}
