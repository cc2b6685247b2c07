import AttachmentStream
import Envelope
import Primitives
import TestSupport

/// One attachment of a vector: its key, its id and its file, whose bytes make the ciphertext zeros. So a vector of many
/// chunks is a few lines long.
struct AttachmentScene {
    private(set) var key: [UInt8]
    private(set) var id: [UInt8]
    private(set) var byteCount: Int
    let file: [UInt8]
    let sealed: [UInt8]

    /// - Parameters:
    ///   - name: the keys come from it.
    ///   - byteCount: of the file.
    ///   - salt: another number, another salt.
    ///   - padding: sealed behind the file; zeros without it.
    init(_ name: String, byteCount: Int, salt: UInt64 = 1, padding: [UInt8]? = nil) {
        let seed = SHA256.hash(Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var random = SeededRandom(seed: seed)
        key = random.bytes(count: 32)
        id = random.bytes(count: 16)
        var salts = SeededRandom(seed: seed &+ salt)
        let sealing = Sealing(key: key, salt: salts.bytes(count: 24), id: id)
        let paddedByteCount = Int(AttachmentLength.padded(UInt64(byteCount)))
        let zeros = [UInt8](repeating: 0, count: paddedByteCount)
        let sealedZeros = sealing.seal(zeros)
        let keystream = Self.chunks(of: sealedZeros).flatMap { sealedZeros[$0].dropLast(16) }
        file = Array(keystream[..<byteCount])
        self.byteCount = byteCount
        sealed = sealing.seal(file + (padding ?? Array(zeros[byteCount...])))
    }

    var chunks: [Range<Int>] { Self.chunks(of: sealed) }

    func replacing(key: UInt8? = nil, id: UInt8? = nil, byteCount: Int? = nil) -> Self {
        var scene = self
        if let key { scene.key = [UInt8](repeating: key, count: 32) }
        if let id { scene.id = [UInt8](repeating: id, count: 16) }
        if let byteCount { scene.byteCount = byteCount }
        return scene
    }

    func vector(_ name: String, _ title: String, _ sealed: [UInt8], _ expect: String, cases: [Int]) -> Vector {
        var vector = Vector(name: "attachment-\(name)", title: title, kind: "attachment", cases: cases, rules: [39])
        vector.add("key", Base64URL.string(key))
        vector.add("id", Base64URL.string(id))
        vector.add("size", "\(byteCount)")
        vector.add("expect", expect)
        if expect == "opened" { vector.add("file-sha256", Base64URL.string(SHA256.hash(file))) }
        vector.input = Array(HexRuns.text(sealed).utf8)
        return vector
    }

    private static func chunks(of sealed: [UInt8]) -> [Range<Int>] {
        stride(from: 56, to: sealed.count, by: 16_400).map { $0..<min($0 + 16_400, sealed.count) }
    }

    private struct Sealing {
        let key, salt, id: [UInt8]

        func seal(_ plaintext: [UInt8]) -> [UInt8] {
            var sealer = ChunkSealer(
                key: SecretBytes(copying: unsafe key.span.bytes),
                salt: salt,
                context: Binding.context(Binding.attachmentContext) + id
            )
            var sealed = sealer.head
            do {
                try unsafe sealer.update(plaintext.span.bytes) { sealed += [UInt8](copying: $0) }
                try sealer.finish { sealed += [UInt8](copying: $0) }
            } catch {
                preconditionFailure("a sealer without files does not fail")
            }
            return sealed
        }
    }
}
