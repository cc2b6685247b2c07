internal import UserNotifications

enum Thumbnail: Sendable, Equatable {
    /// An image, as a data URI with the image itself.
    case image(dataURI: String)
    /// A film, a sound, or an image that cannot be embedded.
    case symbol

    /// A larger picture is too big for a report.
    static let byteCountMax = 1 << 20

    init?(of content: ShownContent) {
        guard let attachment = content.attachments.first else { return nil }
        self = Self.read(attachment.path).flatMap(Self.dataURI).map { .image(dataURI: $0) } ?? .symbol
    }

    /// Finds the type from the first bytes: name and type are the extension's claims.
    private static func dataURI(of file: Data) -> String? {
        let types: [(type: String, magic: [UInt8])] = [
            ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            ("image/jpeg", [0xFF, 0xD8, 0xFF]),
        ]
        guard let found = types.first(where: { file.starts(with: $0.magic) }) else { return nil }
        return "data:\(found.type);base64,\(file.base64EncodedString())"
    }

    /// Reads a regular file; nil if that fails, as for an attachment that is gone.
    private static func read(_ path: String) -> Data? {
        // Reading from a pipe would block until a writer comes.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = (attributes[.size] as? NSNumber)?.intValue, size <= byteCountMax
        else { return nil }
        return FileManager.default.contents(atPath: path)
    }
}
