/// Key of a type hint (a uniform type identifier such as `public.jpeg`) for a file without a telling extension.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// Key of a Boolean that hides the attachment's thumbnail.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// Key of the rectangle of an image that becomes its thumbnail.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// Key of the frame or second of a movie that becomes its thumbnail.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// Media file shown with a notification. The initializer checks, as Apple's does, that the file exists and its type
/// is supported; the system checks size and contents after the extension is done.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationattachment
open class UNNotificationAttachment: NSObject, NSCopying {
    /// Unique within the notification.
    public let identifier: String

    /// File's URL.
    public let url: URL

    /// File's uniform type identifier, such as `public.jpeg`.
    public let type: String

    /// Creates an attachment.
    ///
    /// - Parameters:
    ///   - identifier: if empty, replaced by a unique one.
    ///   - url: a readable file's.
    ///   - options: by the `UNNotificationAttachmentOptions…Key` constants; only the type hint has an effect here.
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

    /// Returns self: it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        self
    }

    private static func isReadableFile(_ url: URL) -> Bool {
        var isDirectory = ObjCBool(false)
        let exists = unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        return exists && !isDirectory.boolValue && FileManager.default.isReadableFile(atPath: url.path)
    }

    private static let supportedTypes = Set(typesByExtension.values)

    /// Apple's table "Supported attachment file types", by file extension.
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
