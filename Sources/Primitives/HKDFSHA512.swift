/// HKDF-Expand with SHA-512 (RFC 5869), without Extract: for uniformly random keys.
package enum HKDFSHA512 {
    package static let outputByteCountMax = 255 * SHA512.byteCount

    /// 1 ... 16,320 bytes.
    ///
    /// - Parameter pseudorandomKey: 32 bytes or more, uniformly random. RFC 5869 has the 64 of Extract;
    ///   c2sp.org/chunked-encryption has keys of 32.
    /// - Source: RFC 5869 section 2.3.
    package static func expand(
        pseudorandomKey: borrowing SecretBytes,
        info: [UInt8],
        byteCount: Int
    ) throws(PrimitiveError) -> SecretBytes {
        guard byteCount <= outputByteCountMax else {
            throw .outputTooLong(byteCount: byteCount, byteCountMax: outputByteCountMax)
        }
        var block = SecretBytes(byteCount: 0) { _ in }
        return SecretBytes(byteCount: byteCount) { output in
            var written = 0
            var counter: UInt8 = 0
            while written < byteCount {
                counter += 1
                block = HMACSHA512.code(key: pseudorandomKey, over: block, info, [counter])
                let taken = min(SHA512.byteCount, byteCount - written)
                block.withBytes { output.write($0.extracting(first: taken), at: written) }
                written += taken
            }
        }
    }
}
