/// Domain of a `UNError`.
public let UNErrorDomain = "UNErrorDomain"

/// Reason why the system rejects a notification or an attachment.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unerror
public struct UNError: Error, CustomNSError, Hashable {
    /// Codes, with the numbers of Apple's `UNErrorCode`.
    public enum Code: Int, Sendable {
        /// The app may not post notifications.
        case notificationsNotAllowed = 1
        /// The attachment's URL does not lead to a readable file.
        case attachmentInvalidURL = 100
        /// The attachment's file type is not supported.
        case attachmentUnrecognizedType = 101
        /// The attachment is larger than its type allows.
        case attachmentInvalidFileSize = 102
        /// The attachment is not in the system's store.
        case attachmentNotInDataStore = 103
        /// The attachment could not be moved into the system's store.
        case attachmentMoveIntoDataStoreFailed = 104
        /// The attachment's file is corrupt.
        case attachmentCorrupt = 105
        /// The notification needs a date and has none.
        case notificationInvalidNoDate = 1400
        /// The notification needs content and has none.
        case notificationInvalidNoContent = 1401
        /// The content-providing object is not one of the system's.
        case contentProvidingObjectNotAllowed = 1500
        /// The content-providing object is not valid.
        case contentProvidingInvalid = 1501
        /// The badge's number is not valid.
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
