public import Envelope

/// An attachment of a message that is not shown, or only by its thumbnail, and why.
public struct MissingAttachment: Hashable, Sendable {
    /// Which one.
    public let id: AttachmentID
    /// Why.
    public let reason: Reason

    /// - Parameters:
    ///   - id: which one.
    ///   - reason: why.
    public init(id: AttachmentID, reason: Reason) {
        self.id = id
        self.reason = reason
    }

    /// Why an attachment is not there. Says nothing of what is in it or where it is.
    public enum Reason: Hashable, Sendable {
        /// The time was over before it was there, or nobody fetches attachments here.
        case notFetched
        /// Its host, or its place there, is none that the app allows.
        case hostNotAllowed
        /// iOS shows no file of its type.
        case unknownType
        /// It is longer than iOS takes of its type, in bytes.
        case tooLong(byteCountMax: UInt64)
        /// With those before it, it is longer than what the app allows for one message.
        case overBudget
        /// The host could not be asked, or did not give it.
        case notDownloaded(BlobDownloadError)
        /// What the host gave is not what was sealed.
        case notOpened
        /// It is not what its sender says it is.
        case notOfItsType
        /// A picture of more points than may be decoded.
        case tooManyPixels
        /// There was no room for it, or no folder.
        case noRoom
    }
}

/// What a fetcher has by now.
public struct FetchedAttachments: Hashable, Sendable {
    /// What is there, in the order of the message. Each file is a private copy: iOS moves it into its own store.
    public var ready: [NotificationContent.Attachment]
    /// What is not, or not yet.
    public var missing: [MissingAttachment]

    /// - Parameters:
    ///   - ready: what is there, in the order of the message.
    ///   - missing: what is not, or not yet.
    public init(ready: [NotificationContent.Attachment], missing: [MissingAttachment] = []) {
        self.ready = ready
        self.missing = missing
    }
}
