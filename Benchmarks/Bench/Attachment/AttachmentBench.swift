private import AttachmentStream
private import Glibc
private import Primitives

/// Speed of sealing and opening attachments, compared with OpenSSL's bare cipher over the same bytes.
package struct AttachmentBench: ~Copyable {
    package struct Rate: Sendable {
        package let name: String
        /// Plaintext rate by this thread's CPU time: the median of all rounds.
        package let bytesPerSecond: Int
        /// Rate in thousandths of the bare AES-256-GCM: the median over the rounds, each with adjacent times.
        package let perMille: Int
        /// Minimum rate; nil without an aim.
        package let aimPerMille: Int?

        package var isMet: Bool { perMille >= aimPerMille ?? 0 }
    }

    /// Bytes of one round: more than fits into a processor's caches.
    private static let roundByteCount = 16 << 20
    /// Bytes that a connection delivers at once; chunks of 16,400 bytes never lie within one.
    private static let pieceByteCount = 1 << 14

    private let roundCount: Int
    private let folder: String
    private let key = [UInt8](repeating: 7, count: 32)
    private let plaintext: [UInt8]

    /// - Parameters:
    ///   - byteCount: Total sealed and opened by each; at least three rounds of 16 MiB.
    ///   - folder: Folder of the written file.
    package init(byteCount: Int, folder: String) {
        roundCount = max(3, byteCount / Self.roundByteCount)
        self.folder = folder
        var random = SystemRandom()
        plaintext = random.bytes(count: Self.roundByteCount)
    }

    /// - Returns: Sealing and opening, then their references.
    package func rates() throws(BenchError) -> [Rate] {
        var bareSealer = try BareCipher(.aes256GCM, isSealing: true)
        var bareOpener = try BareCipher(.aes256GCM, isSealing: false)
        var otherSealer = try BareCipher(.chaChaPoly, isSealing: true)
        var otherOpener = try BareCipher(.chaChaPoly, isSealing: false)
        let bare = Self.sealed(plaintext, by: &bareSealer)
        let other = Self.sealed(plaintext, by: &otherSealer)
        var sealed: [UInt8] = []
        guard seal(take: { sealed += [UInt8](copying: $0) }) else { throw .operationFailed }

        var isWell = true
        var times = [[Int]](repeating: [], count: 7)
        // The first round only warms caches up.
        for round in 0...roundCount {
            let taken = [
                Comparison.time { isWell = bareSealer.seal(plaintext) && isWell },
                Comparison.time { isWell = seal(take: { _ in }) && isWell },
                Comparison.time { isWell = bareOpener.open(bare) && isWell },
                Comparison.time { isWell = open(sealed) && isWell },
                Comparison.time { isWell = openIntoFile(sealed) && isWell },
                Comparison.time { isWell = otherSealer.seal(plaintext) && isWell },
                Comparison.time { isWell = otherOpener.open(other) && isWell },
            ]
            guard isWell else { throw .operationFailed }
            guard round > 0 else { continue }
            for (index, time) in taken.enumerated() { times[index].append(max(1, time)) }
        }
        return [
            Self.rate("sealing", times[1], beside: times[0], aimPerMille: 900),
            Self.rate("opening", times[3], beside: times[2], aimPerMille: 900),
            Self.rate("opening, and writing the file", times[4], beside: times[2]),
            Self.rate("bare AES-256-GCM, sealing", times[0], beside: times[0]),
            Self.rate("bare AES-256-GCM, opening", times[2], beside: times[2]),
            Self.rate("bare ChaCha20-Poly1305, sealing", times[5], beside: times[0]),
            Self.rate("bare ChaCha20-Poly1305, opening", times[6], beside: times[2]),
        ]
    }

    private static func rate(_ name: String, _ times: [Int], beside bare: [Int], aimPerMille: Int? = nil) -> Rate {
        Rate(
            name: name,
            bytesPerSecond: Int(Double(roundByteCount) * 1e9 / Double(Comparison.median(times))),
            perMille: Comparison.median(zip(times, bare).map { ($1 * 1_000 + $0 / 2) / $0 }),
            aimPerMille: aimPerMille
        )
    }

    private static func sealed(_ plaintext: [UInt8], by cipher: inout BareCipher) -> [UInt8] {
        var sealed: [UInt8] = []
        _ = cipher.seal(plaintext) { sealed += $0 + $1 }
        return sealed
    }

    private func seal(take: (RawSpan) -> Void) -> Bool {
        var sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: key.span.bytes),
            salt: [UInt8](repeating: 1, count: 24),
            context: []
        )
        unsafe take(sealer.head.span.bytes)
        do throws(AttachmentError) {
            try pieces(of: plaintext) { (piece) throws(AttachmentError) in try sealer.update(piece, emit: take) }
            try sealer.finish(emit: take)
            return true
        } catch {
            return false
        }
    }

    private func open(_ sealed: [UInt8]) -> Bool {
        var opener = unsafe ChunkOpener(key: SecretBytes(copying: key.span.bytes), context: [])
        do throws(AttachmentError) {
            try pieces(of: sealed) { (piece) throws(AttachmentError) in try opener.update(piece) { _ in } }
            try opener.finish { _ in }
            return true
        } catch {
            return false
        }
    }

    private func openIntoFile(_ sealed: [UInt8]) -> Bool {
        let path = folder + "/opened"
        do throws(AttachmentError) {
            var opener = try AttachmentFileOpener.create(
                at: path,
                key: key,
                context: [],
                byteCount: UInt64(Self.roundByteCount)
            )
            try pieces(of: sealed) { (piece) throws(AttachmentError) in try opener.update(piece) }
            try opener.finish()
            return unsafe unlink(path) == 0
        } catch {
            return false
        }
    }

    private func pieces(
        of bytes: [UInt8],
        _ body: (RawSpan) throws(AttachmentError) -> Void
    ) throws(AttachmentError) {
        let span = unsafe bytes.span.bytes
        for offset in stride(from: 0, to: span.byteCount, by: Self.pieceByteCount) {
            try body(span.extracting(offset..<min(offset + Self.pieceByteCount, span.byteCount)))
        }
    }
}
