public import Envelope

/// Downloads attachments over HTTPS. Apps can use `HTTPSDownloader`.
public protocol BlobDownloader: Sendable {
    /// Streams a blob from an offset to its end. No redirects, no decompression.
    ///
    /// - Parameters:
    ///   - request: URL and limits.
    ///   - take: gets pieces in order on a thread that may block on a disk; false ends the download. Not called after
    ///     this returns.
    /// - Throws: `BlobDownloadError`; `take` may have had the first bytes.
    func download(
        _ request: BlobRequest,
        take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(BlobDownloadError)
}

/// Byte range of a blob.
public struct BlobRequest: Hashable, Sendable {
    /// URL of the blob.
    public let url: AttachmentURL
    /// First byte to request: less than `byteCount`.
    public let offset: UInt64
    /// Bytes in the whole blob.
    public let byteCount: UInt64

    /// Creates a request; `offset` must be less than `byteCount`.
    public init(url: AttachmentURL, offset: UInt64, byteCount: UInt64) {
        precondition(offset < byteCount)
        self.url = url
        self.offset = offset
        self.byteCount = byteCount
    }
}

/// Reveals nothing of the request.
public enum BlobDownloadError: Error, Hashable, Sendable {
    /// Cancelled task.
    case cancelled
    /// Host not reached: name, route, server or timeout.
    case notReached
    /// Server without proof of its identity.
    case notTrusted
    /// Connection ended early, or idle for too long.
    case connectionLost
    /// Redirection, which is refused.
    case redirected
    /// Status other than success.
    case status(Int)
    /// Other bytes than requested, a content coding, or not HTTP.
    case wrongAnswer
    /// Length differs from the message's, or more bytes came.
    case wrongLength
    /// `take` returned false.
    case refused

    /// True if a retry may soon succeed.
    var isPassing: Bool {
        switch self {
        case .notReached, .connectionLost, .status(408), .status(429), .status(500...599): true
        case .cancelled, .notTrusted, .redirected, .status, .wrongAnswer, .wrongLength, .refused: false
        }
    }
}
