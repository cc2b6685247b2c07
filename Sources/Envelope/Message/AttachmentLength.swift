/// Stored length of an attachment: padded, then sealed in chunks.
public enum AttachmentLength {
    /// 1 TiB; the format would take 4 PiB.
    public static let byteCountMax: UInt64 = 1 << 40

    /// Padmé padding: at most 12 % more. Files up to L bytes differ in only O(log log L) bits.
    ///
    /// - Parameter byteCount: in bytes; 0 and 1 stay.
    /// - Returns: bytes, `UInt64.max` on overflow.
    /// - Source: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs" (PoPETs
    ///   2019), algorithm 1.
    public static func padded(_ byteCount: UInt64) -> UInt64 {
        guard byteCount > 1 else { return byteCount }
        let exponent = 63 - byteCount.leadingZeroBitCount
        let keptBitCount = Int.bitWidth - exponent.leadingZeroBitCount
        let mask: UInt64 = 1 << UInt64(exponent - keptBitCount) - 1
        let (sum, overflow) = byteCount.addingReportingOverflow(mask)
        return overflow ? .max : sum & ~mask
    }

    /// Stored length in bytes: head, padded file, a tag for each chunk; `UInt64.max` on overflow.
    public static func stored(_ byteCount: UInt64) -> UInt64 {
        let padded = padded(byteCount)
        // The last chunk is shorter, and may be empty.
        let chunkCount = padded / UInt64(ChunkFormat.plaintextByteCount) + 1
        let overhead = UInt64(ChunkFormat.headByteCount) + chunkCount * UInt64(ChunkFormat.tagByteCount)
        let (sum, overflow) = padded.addingReportingOverflow(overhead)
        return overflow ? .max : sum
    }
}
