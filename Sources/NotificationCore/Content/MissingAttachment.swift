public import Envelope

/// Attachment not shown, or only as a thumbnail.
public struct MissingAttachment: Hashable, Sendable {
    /// Attachment id.
    public let id: AttachmentID
    /// Reason.
    public let reason: Reason

    /// Creates a missing attachment.
    public init(id: AttachmentID, reason: Reason) {
        self.id = id
        self.reason = reason
    }

    /// Reason for a missing attachment; it reveals neither contents nor location.
    public enum Reason: Hashable, Sendable {
        /// Too late, no fetcher, or a preview level without.
        case notFetched
        /// Host or path not allowed.
        case hostNotAllowed
        /// Type that iOS does not show.
        case unknownType
        /// Longer than iOS's limit for the type, in bytes.
        case tooLong(byteCountMax: UInt64)
        /// Limit per message exceeded.
        case overBudget
        /// Failed download.
        case notDownloaded(BlobDownloadError)
        /// Bytes differ from those sealed.
        case notOpened
        /// Contents do not match the declared type.
        case notOfItsType
        /// More pixels than may be decoded.
        case tooManyPixels
        /// No space or folder.
        case noRoom
    }
}

/// Attachments fetched so far.
public struct FetchedAttachments: Hashable, Sendable {
    /// Complete files in message order; iOS moves these private copies.
    public var ready: [NotificationContent.Attachment]
    /// Attachments that failed or are still to come.
    public var missing: [MissingAttachment]

    /// Creates a result; `ready` is in message order.
    public init(ready: [NotificationContent.Attachment], missing: [MissingAttachment] = []) {
        self.ready = ready
        self.missing = missing
    }
}
