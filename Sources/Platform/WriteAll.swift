/// Writes all of `bytes`, in as many calls as needed.
///
/// - Returns: Nil, or `errno` after a partial write.
package func writeAll(_ bytes: RawSpan, to descriptor: Int32) -> Int32? {
    var written = 0
    while written < bytes.byteCount {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return errno }
        written += count
    }
    return nil
}
