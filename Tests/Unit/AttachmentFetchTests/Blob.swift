import AttachmentStream
import Envelope
import Foundation
import Primitives
import TestSupport

struct Blob: Sendable {
    let file: [UInt8]
    let sealed: [UInt8]
    let id: AttachmentID
    let key: AttachmentKey
    let byteCount: UInt64

    private struct NoBlob: Error {}

    /// - Parameters:
    ///   - file: the plaintext.
    ///   - seed: of its id and key.
    init(_ file: [UInt8], seed: UInt64 = 1) throws {
        var random = SeededRandom(seed: seed)
        guard let id = AttachmentID(rawRepresentation: random.bytes(count: 16)),
            let key = AttachmentKey(rawRepresentation: random.bytes(count: 32))
        else { throw NoBlob() }
        let folder = try TemporaryFolder()
        try Data(file).write(to: URL(fileURLWithPath: folder.path("file")))
        let context = try Self.pointer(id, key, "https://a.example/1", byteCount: UInt64(file.count)).context
        byteCount = try key.withBytes { key in
            try AttachmentFile.seal(
                from: folder.path("file"),
                to: folder.path("sealed"),
                key: key,
                context: context
            )
        }
        sealed = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("sealed"))))
        (self.file, self.id, self.key) = (file, id, key)
    }

    func pointer(
        _ url: String,
        type: String = "image/png",
        name: String? = nil,
        isThumbnail: Bool = false,
        byteCount: UInt64? = nil
    ) throws -> AttachmentPointer {
        try Self.pointer(
            id,
            key,
            url,
            type: type,
            name: name,
            isThumbnail: isThumbnail,
            byteCount: byteCount ?? self.byteCount
        )
    }

    private static func pointer(
        _ id: AttachmentID,
        _ key: AttachmentKey,
        _ url: String,
        type: String = "image/png",
        name: String? = nil,
        isThumbnail: Bool = false,
        byteCount: UInt64
    ) throws -> AttachmentPointer {
        guard let url = AttachmentURL(url), let type = MediaType(type) else { throw NoBlob() }
        return try AttachmentPointer(
            id: id,
            url: url,
            key: key,
            byteCount: byteCount,
            type: type,
            name: name,
            isThumbnail: isThumbnail
        )
    }

    static func picture(byteCount: Int = 40_000, seed: UInt64 = 1) throws -> Blob {
        var random = SeededRandom(seed: seed)
        let head = TestPicture.png(width: 640, height: 480)
        return try Blob(head + random.bytes(count: byteCount - head.count), seed: seed)
    }
}
