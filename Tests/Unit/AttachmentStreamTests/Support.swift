import Envelope
import Foundation
import Primitives
import TestSupport

@testable import AttachmentStream

struct Sample {
    let key: [UInt8]
    let context = Array("context of a test".utf8)
    let file: [UInt8]
    /// The stored bytes, with padding.
    let sealed: [UInt8]

    init(byteCount: Int, seed: UInt64 = 1) {
        var random = SeededRandom(seed: seed)
        key = random.bytes(count: ChunkFormat.keyByteCount)
        file = random.bytes(count: byteCount)
        let paddedByteCount = Int(AttachmentLength.padded(UInt64(byteCount)))
        let padded = file + [UInt8](repeating: 0, count: paddedByteCount - byteCount)
        sealed = Self.seal(padded, key: key, salt: random.bytes(count: ChunkFormat.saltByteCount), context: context)
    }

    /// Head and chunks of `plaintext`, as it is.
    static func seal(_ plaintext: [UInt8], key: [UInt8], salt: [UInt8], context: [UInt8]) -> [UInt8] {
        let key = unsafe SecretBytes(copying: key.span.bytes)
        return seal(plaintext, with: ChunkSealer(key: key, salt: salt, context: context))
    }

    static func seal(_ plaintext: [UInt8], with sealer: consuming ChunkSealer) -> [UInt8] {
        var sealer = sealer
        var sealed = sealer.head
        do {
            try unsafe sealer.update(plaintext.span.bytes) { sealed += [UInt8](copying: $0) }
            try sealer.finish { sealed += [UInt8](copying: $0) }
        } catch {
            preconditionFailure("a sealer without files does not fail")
        }
        return sealed
    }

    /// Range of chunk `index` in `sealed`; the last one is shorter.
    func chunk(_ index: Int) -> Range<Int> {
        let start = ChunkFormat.headByteCount + index * ChunkFormat.sealedByteCount
        return start..<min(start + ChunkFormat.sealedByteCount, sealed.count)
    }
}

/// Result of opening bytes: those released before the end or the error, and the error.
struct Opened: Equatable {
    var released: [UInt8] = []
    var error: AttachmentError?

    /// Opens by the opener without files: no length is known beforehand.
    ///
    /// `pieces` are the bytes, split.
    init(_ pieces: [[UInt8]], key: [UInt8], context: [UInt8]) {
        var released: [UInt8] = []
        var opener = unsafe ChunkOpener(key: SecretBytes(copying: key.span.bytes), context: context)
        do throws(AttachmentError) {
            for piece in pieces {
                try unsafe opener.update(piece.span.bytes) { released += [UInt8](copying: $0) }
            }
            try opener.finish { released += [UInt8](copying: $0) }
        } catch {
            self.error = error
        }
        self.released = released
    }

    init(released: [UInt8] = [], _ error: AttachmentError? = nil) {
        self.released = released
        self.error = error
    }
}

struct OpenedFile: Equatable {
    var contents: [UInt8]?
    var error: AttachmentError?

    init(_ pieces: [[UInt8]], key: [UInt8], context: [UInt8], byteCount: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("opened")
        do throws(AttachmentError) {
            var opener = try AttachmentFileOpener.create(
                at: path,
                key: key,
                context: context,
                byteCount: UInt64(byteCount)
            )
            for piece in pieces { try unsafe opener.update(piece.span.bytes) }
            try opener.finish()
        } catch {
            self.error = error
        }
        contents = try folder.names() == [] ? nil : [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Opens the sample's own bytes or others, with its key and its length.
    init(_ sample: Sample, _ pieces: [UInt8]...) throws {
        try self.init(pieces, key: sample.key, context: sample.context, byteCount: sample.file.count)
    }

    init(contents: [UInt8]) { self.contents = contents }

    init(_ error: AttachmentError) { self.error = error }
}
