private import Envelope

/// Nonces of an attachment's chunks, in order.
struct ChunkCounter: Sendable {
    private let base: [UInt8]
    private(set) var nonce: [UInt8]
    private(set) var index: UInt64 = 0

    init(baseNonce: [UInt8]) {
        base = baseNonce
        nonce = baseNonce
    }

    /// Throws `.tooLong` beyond the format's last chunk.
    func check() throws(AttachmentError) {
        guard index < ChunkFormat.chunkCountMax else { throw .tooLong }
    }

    /// Base nonce XOR the chunk's number, big-endian.
    mutating func advance() {
        index += 1
        for place in 0..<8 { nonce[11 - place] = base[11 - place] ^ UInt8(truncatingIfNeeded: index >> (8 * place)) }
    }
}
