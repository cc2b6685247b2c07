private import AttachmentStream
internal import Envelope
private import Glibc
internal import Primitives
private import UserNotifications

/// A picture and its thumbnail at the extension's host: as files, and as pointers in a message. They have a picture's
/// header only.
struct ScheduledPicture {
    static let pictureByteCount = 20_000
    private static let thumbnailByteCount = 500
    private static let host = "https://files.example.com/v1/blobs/"

    let pointers: [AttachmentPointer]
    let files: [String: [UInt8]]

    /// - Parameter folder: Folder for temporary files.
    init(in folder: String, byteCount: Int, random: inout SystemRandom) throws(BenchError) {
        var pointers: [AttachmentPointer] = []
        var files: [String: [UInt8]] = [:]
        for (name, byteCount) in [("thumbnail", Self.thumbnailByteCount), ("picture", byteCount)] {
            guard let id = AttachmentID(rawRepresentation: random.bytes(count: 16)),
                let key = AttachmentKey(rawRepresentation: random.bytes(count: 32)),
                let url = AttachmentURL(Self.host + name), let type = MediaType("image/png")
            else { throw .operationFailed }
            do {
                let pointer = try AttachmentPointer(
                    id: id,
                    url: url,
                    key: key,
                    byteCount: UInt64(byteCount),
                    type: type,
                    isThumbnail: name == "thumbnail"
                )
                pointers.append(pointer)
                files[url.text] = try Self.sealed(Self.png(byteCount: byteCount), for: pointer, in: folder)
            } catch {
                throw .operationFailed
            }
        }
        self.pointers = pointers
        self.files = files
    }

    private static func sealed(_ file: [UInt8], for pointer: AttachmentPointer, in folder: String) throws -> [UInt8] {
        let (plain, sealed) = (folder + "/plain", folder + "/sealed")
        defer {
            unsafe unlink(plain)
            unsafe unlink(sealed)
        }
        try Data(file).write(to: URL(fileURLWithPath: plain))
        _ = try pointer.key.withBytes { key in
            try AttachmentFile.seal(from: plain, to: sealed, key: key, context: pointer.context)
        }
        return Array(try Data(contentsOf: URL(fileURLWithPath: sealed)))
    }

    /// A header that declares 1 by 1, followed by zeros.
    private static func png(byteCount: Int) -> [UInt8] {
        let head: [UInt8] =
            [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]
        return head + [UInt8](repeating: 0, count: byteCount - head.count)
    }
}
