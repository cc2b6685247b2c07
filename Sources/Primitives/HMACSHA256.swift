private import CSodium

/// HMAC-SHA256 (RFC 2104), fed in parts so that a secret is never copied beside a label.
@safe
package struct HMACSHA256: ~Copyable {
    package static let byteCount = 32

    private var state: crypto_auth_hmacsha256_state

    /// Computes one code: `feed` gives the message in order, the 32 bytes go to `output`.
    package static func code(
        key: RawSpan,
        into output: inout MutableRawSpan,
        feed: (inout HMACSHA256) -> Void
    ) {
        precondition(output.byteCount == byteCount)
        var code = HMACSHA256(key: key)
        feed(&code)
        unsafe output.withMutableBytePointer { start, _ in
            _ = unsafe crypto_auth_hmacsha256_final(&code.state, start)
        }
        // The state holds the key in the form of two hash states.
        unsafe sodium_memzero(&code.state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
    }

    package mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withBytePointer { start, count in
            _ = unsafe crypto_auth_hmacsha256_update(&state, start, UInt64(count))
        }
    }

    package mutating func update(_ bytes: [UInt8]) { unsafe update(bytes.span.bytes) }

    private init(key: RawSpan) {
        state = crypto_auth_hmacsha256_state()
        unsafe key.withBytePointer { start, count in
            _ = unsafe crypto_auth_hmacsha256_init(&state, start, count)
        }
    }
}
