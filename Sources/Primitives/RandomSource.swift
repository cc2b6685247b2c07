/// Source of random bytes; test vectors use fixed ones, applications `SystemRandom`.
package protocol RandomSource {
    mutating func fill(_ span: inout MutableRawSpan)
}

/// System's generator: getrandom on Linux, through libsodium.
package struct SystemRandom: RandomSource, Sendable {
    /// An empty `inout` value has no address, which crashed the thread sanitizer.
    private let addressable: UInt8 = 0

    package init() {}

    package mutating func fill(_ span: inout MutableRawSpan) {
        Provider.fillWithRandom(&span)
    }
}

extension RandomSource {
    /// Draws public bytes, such as ids and traces.
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
