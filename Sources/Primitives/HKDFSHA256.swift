/// HKDF with SHA-256 (RFC 5869).
package enum HKDFSHA256 {
    package static let outputByteCountMax = 255 * HMACSHA256.byteCount

    /// Pseudorandom key, 32 bytes.
    ///
    /// - Source: RFC 5869 section 2.2. An empty salt stands for 32 zeros; HMAC pads it to the same key.
    package static func extract(salt: RawSpan, feed: (inout HMACSHA256) -> Void) -> SecretBytes {
        SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            HMACSHA256.code(key: salt, into: &output, feed: feed)
        }
    }

    /// 1 ... 8,160 bytes.
    ///
    /// - Parameter pseudorandomKey: 32 bytes or more.
    /// - Source: RFC 5869 section 2.3.
    package static func expand(
        pseudorandomKey: borrowing SecretBytes,
        info: [UInt8],
        byteCount: Int
    ) throws(PrimitiveError) -> SecretBytes {
        try expand(pseudorandomKey: pseudorandomKey, byteCount: byteCount) { $0.update(info) }
    }

    /// Takes `info` in parts: `feed` is called once for each 32 bytes.
    package static func expand(
        pseudorandomKey: borrowing SecretBytes,
        byteCount: Int,
        feed: (inout HMACSHA256) -> Void
    ) throws(PrimitiveError) -> SecretBytes {
        guard byteCount <= outputByteCountMax else {
            throw .outputTooLong(byteCount: byteCount, byteCountMax: outputByteCountMax)
        }
        return pseudorandomKey.withBytes { key in
            if byteCount == HMACSHA256.byteCount { return block(1, after: nil, key: key, feed: feed) }
            return SecretBytes(byteCount: byteCount) { expand(key: key, into: &$0, feed: feed) }
        }
    }

    private static func expand(key: RawSpan, into output: inout MutableRawSpan, feed: (inout HMACSHA256) -> Void) {
        var previous: SecretBytes?
        var written = 0
        var counter: UInt8 = 0
        while written < output.byteCount {
            counter += 1
            let next = block(counter, after: previous.take(), key: key, feed: feed)
            let taken = min(HMACSHA256.byteCount, output.byteCount - written)
            next.withBytes { output.write($0.extracting(first: taken), at: written) }
            written += taken
            previous = consume next
        }
    }

    /// T(counter): 32 bytes.
    private static func block(
        _ counter: UInt8,
        after previous: consuming SecretBytes?,
        key: RawSpan,
        feed: (inout HMACSHA256) -> Void
    ) -> SecretBytes {
        let previous = previous
        return SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            HMACSHA256.code(key: key, into: &output) { code in
                previous?.withBytes { code.update($0) }
                feed(&code)
                code.update(byte: counter)
            }
        }
    }
}
