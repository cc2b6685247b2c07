/// HKDF with SHA-256 (RFC 5869). libsodium 1.0.18 has only the HMAC; the two steps over it are these.
package enum HKDFSHA256 {
    package static let outputByteCountMax = 255 * HMACSHA256.byteCount

    /// - Parameters:
    ///   - salt: any length.
    ///   - feed: gives the input keying material in order.
    /// - Returns: 32 bytes, the pseudorandom key.
    /// - Source: RFC 5869 section 2.2. An empty salt stands for 32 zeros; HMAC pads it to the same key.
    package static func extract(salt: RawSpan, feed: (inout HMACSHA256) -> Void) -> SecretBytes {
        SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            HMACSHA256.code(key: salt, into: &output, feed: feed)
        }
    }

    /// - Parameters:
    ///   - pseudorandomKey: 32 bytes or more.
    ///   - info: any length.
    ///   - byteCount: 1 ... 8,160.
    /// - Returns: `byteCount` bytes.
    /// - Throws: `.outputTooLong`.
    /// - Source: RFC 5869 section 2.3.
    package static func expand(
        pseudorandomKey: borrowing SecretBytes,
        info: [UInt8],
        byteCount: Int
    ) throws(PrimitiveError) -> SecretBytes {
        guard byteCount <= outputByteCountMax else {
            throw .outputTooLong(byteCount: byteCount, byteCountMax: outputByteCountMax)
        }
        return pseudorandomKey.withBytes { key in
            SecretBytes(byteCount: byteCount) { output in expand(key: key, info: info, into: &output) }
        }
    }

    private static func expand(key: RawSpan, info: [UInt8], into output: inout MutableRawSpan) {
        var previous: SecretBytes?
        var written = 0
        var counter: UInt8 = 0
        while written < output.byteCount {
            counter += 1
            let last = previous.take()
            let block = SecretBytes(byteCount: HMACSHA256.byteCount) { span in
                HMACSHA256.code(key: key, into: &span) { code in
                    last?.withBytes { code.update($0) }
                    code.update(info)
                    code.update([counter])
                }
            }
            let taken = min(HMACSHA256.byteCount, output.byteCount - written)
            block.withBytes { bytes in
                for index in 0..<taken {
                    let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                    output.storeBytes(of: byte, toByteOffset: written + index, as: UInt8.self)
                }
            }
            written += taken
            previous = consume block
        }
    }
}
