// What is encrypted is the file with zeros behind it, so that its host cannot tell one picture from another by their
// lengths; what is stored follows from that (docs/protocol.md, section 6).
extension AttachmentPointer {
    private static let saltByteCount: UInt64 = 24
    private static let commitmentByteCount: UInt64 = 32
    private static let chunkByteCount: UInt64 = 16_384
    private static let tagByteCount: UInt64 = 16

    /// What a file takes at its host: salt, commitment and chunks, each with its tag; the last chunk is always shorter than
    /// the others, and may be empty.
    ///
    /// - Parameter byteCount: the file's, at most `byteCountMax`.
    /// - Returns: bytes.
    /// - Source: c2sp.org/chunked-encryption, "Message chunking".
    package static func storedByteCount(of byteCount: UInt64) -> UInt64 {
        let padded = paddedByteCount(of: byteCount)
        let chunkCount = padded / chunkByteCount + 1
        return saltByteCount + commitmentByteCount + padded + chunkCount * tagByteCount
    }

    /// The length rounded up so that it shows no more than log2(log2(length)) bits of itself behind the first; 0 and 1 stay.
    ///
    /// - Parameter byteCount: at most `byteCountMax`.
    /// - Returns: bytes, more than `byteCount` by 12 % or less.
    /// - Source: Padmé, Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs",
    ///   section 4.
    static func paddedByteCount(of byteCount: UInt64) -> UInt64 {
        precondition(byteCount <= byteCountMax)
        guard byteCount > 1 else { return byteCount }
        let exponent = floorOfLog2(byteCount)
        let keptBitCount = floorOfLog2(exponent) + 1
        let mask: UInt64 = 1 << (exponent - keptBitCount) - 1
        return (byteCount + mask) & ~mask
    }

    private static func floorOfLog2(_ number: UInt64) -> UInt64 {
        UInt64(UInt64.bitWidth - 1 - number.leadingZeroBitCount)
    }
}
