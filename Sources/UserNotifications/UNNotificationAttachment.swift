/// The key of a type hint (a uniform type identifier such as `public.jpeg`) for a file whose extension does not tell.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// The key of a Boolean that hides the attachment's thumbnail.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// The key of the rectangle of an image that becomes its thumbnail.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// The key of the frame or second of a movie that becomes its thumbnail.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// A media file shown with a notification.
///
/// Creating one checks what Apple checks then: that the file is there and its type supported. Size and contents are
/// checked by the system after the extension is done, and so by whatever plays the system.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationattachment
open class UNNotificationAttachment: NSObject, NSCopying {
    /// The attachment's identifier, unique within its notification.
    public let identifier: String

    /// The file, on disk.
    public let url: URL

    /// The file's uniform type identifier: `public.jpeg`, say.
    public let type: String

    /// - Parameters:
    ///   - identifier: An empty one is replaced by a unique one.
    ///   - url: A file URL; the file must be readable.
    ///   - options: By the `UNNotificationAttachmentOptions…Key` constants. Only the type hint matters here.
    /// - Throws: `UNError` with `.attachmentInvalidURL` or `.attachmentUnrecognizedType`.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, Self.isReadableFile(url) else { throw UNError(.attachmentInvalidURL) }
        let hint = options?[UNNotificationAttachmentOptionsTypeHintKey] as? String
        guard let type = hint ?? Self.typesByExtension[url.pathExtension.lowercased()],
            Self.supportedTypes.contains(type)
        else { throw UNError(.attachmentUnrecognizedType) }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.url = url
        self.type = type
    }

    /// An attachment cannot change, so its copy is itself.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }

    private static func isReadableFile(_ url: URL) -> Bool {
        var isDirectory = ObjCBool(false)
        let exists = unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        return exists && !isDirectory.boolValue && FileManager.default.isReadableFile(atPath: url.path)
    }

    private static let supportedTypes = Set(typesByExtension.values)

    /// Apple's table "Supported attachment file types", by the extensions that name them.
    private static let typesByExtension = [
        "aif": "public.aiff-audio", "aiff": "public.aiff-audio", "aifc": "public.aiff-audio",
        "wav": "com.microsoft.waveform-audio", "wave": "com.microsoft.waveform-audio",
        "mp3": "public.mp3",
        "m4a": "public.mpeg-4-audio",
        "jpg": "public.jpeg", "jpeg": "public.jpeg",
        "gif": "com.compuserve.gif",
        "png": "public.png",
        "mpg": "public.mpeg", "mpeg": "public.mpeg",
        "m2v": "public.mpeg-2-video",
        "mp4": "public.mpeg-4", "m4v": "public.mpeg-4",
        "avi": "public.avi",
    ]
}
