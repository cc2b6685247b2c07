private import AttachmentStream
private import Envelope
private import Primitives

/// Memory of an attachment in its own process: bytes are sealed on demand and opened into a file. None is kept.
package enum AttachmentMemory {
    /// Maximum above an idle process, in bytes.
    package static let byteCountMaxAboveEmpty = 4_000_000
    private static let readingInterval = 64

    /// - Parameter byteCount: Nil for an idle process.
    /// - Returns: RssAnon + RssShmem + VmSwap in bytes, the highest seen after every 64th piece.
    package static func peak(byteCount: Int?, path: String) throws(BenchError) -> Int {
        var footprint = try FootprintReading()
        guard let byteCount else { return try footprint.byteCount() }
        var peak = 0
        do {
            try pass(byteCount, path) { peak = max(peak, try footprint.byteCount()) }
        } catch {
            throw .operationFailed
        }
        return peak
    }

    private static func pass(_ byteCount: Int, _ path: String, onReading: () throws -> Void) throws {
        let key = [UInt8](repeating: 7, count: 32)
        let zeros = [UInt8](repeating: 0, count: 1 << 14)
        var sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: key.span.bytes),
            salt: [UInt8](repeating: 1, count: 24),
            context: []
        )
        var opener = try AttachmentFileOpener.create(at: path, key: key, context: [], byteCount: UInt64(byteCount))
        try unsafe opener.update(sealer.head.span.bytes)
        var missing = Int(AttachmentLength.padded(UInt64(byteCount)))
        var pieceCount = 0
        while missing > 0 {
            let count = min(missing, zeros.count)
            missing -= count
            try unsafe sealer.update(zeros.span.bytes.extracting(first: count)) { (chunk) throws(AttachmentError) in
                try opener.update(chunk)
            }
            pieceCount += 1
            if pieceCount % readingInterval == 0 { try onReading() }
        }
        try sealer.finish { (chunk) throws(AttachmentError) in try opener.update(chunk) }
        try opener.finish()
        try onReading()
    }
}
