/// Where random bytes come from. A parameter inside the package, so that vectors can be made from fixed bytes; every
/// entry point that an application calls uses `SystemRandom`.
package protocol RandomSource {
    mutating func fill(_ span: inout MutableRawSpan)
}

/// The system's cryptographic random generator: getrandom on Linux, through libsodium.
package struct SystemRandom: RandomSource, Sendable {
    /// The thread sanitizer looks up the address of what is passed `inout`, and an empty value has none: it crashed.
    private let addressable: UInt8 = 0

    package init() {}

    package mutating func fill(_ span: inout MutableRawSpan) {
        Provider.fillWithRandom(&span)
    }
}

extension RandomSource {
    /// - Returns: `count` bytes that are not secret: ids, traces.
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
