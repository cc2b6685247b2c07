/// How long an attachment is where it is stored: the file is padded, so that a length tells little, and then sealed in
/// chunks. Both lengths follow from the file's.
public enum AttachmentLength {
    /// The longest file: 1 TiB. The format would take 4 PiB.
    public static let byteCountMax: UInt64 = 1 << 40

    /// Padmé: at most 12 % more, and for files up to L bytes there are only O(log log L) bits to be told apart.
    ///
    /// - Parameter byteCount: the file's length in bytes.
    /// - Returns: the length in bytes with the zeros behind it; `UInt64.max` where it would be more than that.
    /// - Source: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs"
    ///   (PoPETs 2019), algorithm 1; lengths 0 and 1 stay.
    public static func padded(_ byteCount: UInt64) -> UInt64 {
        guard byteCount > 1 else { return byteCount }
        let exponent = 63 - byteCount.leadingZeroBitCount
        let keptBitCount = Int.bitWidth - exponent.leadingZeroBitCount
        let mask: UInt64 = 1 << UInt64(exponent - keptBitCount) - 1
        let (sum, overflow) = byteCount.addingReportingOverflow(mask)
        return overflow ? .max : sum & ~mask
    }

    /// - Parameter byteCount: the file's length in bytes.
    /// - Returns: the length in bytes of what is stored: head, padded file, a tag for each chunk. `UInt64.max` where it
    ///   would be more than that.
    public static func stored(_ byteCount: UInt64) -> UInt64 {
        let padded = padded(byteCount)
        // The last chunk is shorter than the others, and may be empty.
        let chunkCount = padded / UInt64(ChunkFormat.plaintextByteCount) + 1
        let overhead = UInt64(ChunkFormat.headByteCount) + chunkCount * UInt64(ChunkFormat.tagByteCount)
        let (sum, overflow) = padded.addingReportingOverflow(overhead)
        return overflow ? .max : sum
    }
}
