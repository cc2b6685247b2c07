/// Domain of a `UNError`.
public let UNErrorDomain = "UNErrorDomain"

/// Reason why the system rejects a notification or an attachment.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unerror
public struct UNError: Error, CustomNSError, Hashable {
    /// Codes, with the numbers of Apple's `UNErrorCode`.
    public enum Code: Int, Sendable {
        /// App without permission for notifications.
        case notificationsNotAllowed = 1
        /// Attachment's URL without a readable file.
        case attachmentInvalidURL = 100
        /// Unsupported file type of the attachment.
        case attachmentUnrecognizedType = 101
        /// Attachment larger than its type allows.
        case attachmentInvalidFileSize = 102
        /// Attachment not in the system's store.
        case attachmentNotInDataStore = 103
        /// Attachment not movable into the system's store.
        case attachmentMoveIntoDataStoreFailed = 104
        /// Corrupt file of the attachment.
        case attachmentCorrupt = 105
        /// Missing date.
        case notificationInvalidNoDate = 1400
        /// Missing content.
        case notificationInvalidNoContent = 1401
        /// Content-providing object not of the system.
        case contentProvidingObjectNotAllowed = 1500
        /// Invalid content-providing object.
        case contentProvidingInvalid = 1501
        /// Invalid badge number.
        case badgeInputInvalid = 1600

        /// Lets `catch UNError.attachmentInvalidURL` match, as with every Apple error code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? UNError)?.code == code
        }
    }

    /// Error's code.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) {
        self.code = code
    }

    /// `UNErrorDomain`.
    public static var errorDomain: String { UNErrorDomain }

    /// Code's number.
    public var errorCode: Int { code.rawValue }

    /// Case of `Code`.
    public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
    /// Case of `Code`.
    public static var attachmentInvalidURL: Code { .attachmentInvalidURL }
    /// Case of `Code`.
    public static var attachmentUnrecognizedType: Code { .attachmentUnrecognizedType }
    /// Case of `Code`.
    public static var attachmentInvalidFileSize: Code { .attachmentInvalidFileSize }
    /// Case of `Code`.
    public static var attachmentNotInDataStore: Code { .attachmentNotInDataStore }
    /// Case of `Code`.
    public static var attachmentMoveIntoDataStoreFailed: Code { .attachmentMoveIntoDataStoreFailed }
    /// Case of `Code`.
    public static var attachmentCorrupt: Code { .attachmentCorrupt }
    /// Case of `Code`.
    public static var notificationInvalidNoDate: Code { .notificationInvalidNoDate }
    /// Case of `Code`.
    public static var notificationInvalidNoContent: Code { .notificationInvalidNoContent }
    /// Case of `Code`.
    public static var contentProvidingObjectNotAllowed: Code { .contentProvidingObjectNotAllowed }
    /// Case of `Code`.
    public static var contentProvidingInvalid: Code { .contentProvidingInvalid }
    /// Case of `Code`.
    public static var badgeInputInvalid: Code { .badgeInputInvalid }
}
