public import Envelope

/// Gets the bytes of attachments over HTTPS.
///
/// An app has `HTTPSDownloader` and need not write one.
public protocol BlobDownloader: Sendable {
    /// Asks once for a blob's bytes from an offset to its end, and hands them on as they come. Redirects are not followed,
    /// and nothing is unpacked.
    ///
    /// - Parameters:
    ///   - request: which bytes.
    ///   - take: gets the bytes in order, one piece after the other, on a thread that may wait for a disk; false where no
    ///     more are wanted, which ends the download. It is not called after this returned.
    /// - Throws: `BlobDownloadError`; what `take` got by then are the first bytes of what was asked for.
    func download(
        _ request: BlobRequest,
        take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(BlobDownloadError)
}

/// Which bytes of which blob.
public struct BlobRequest: Hashable, Sendable {
    /// Where it is.
    public let url: AttachmentURL
    /// Of the first byte that is asked for, in bytes: less than `byteCount`.
    public let offset: UInt64
    /// Of the whole blob.
    public let byteCount: UInt64

    /// - Parameters:
    ///   - url: where it is.
    ///   - offset: of the first byte that is asked for: less than `byteCount`.
    ///   - byteCount: of the whole blob, as the message says.
    public init(url: AttachmentURL, offset: UInt64, byteCount: UInt64) {
        precondition(offset < byteCount)
        self.url = url
        self.offset = offset
        self.byteCount = byteCount
    }
}

/// Why a download ended early. Says nothing of what was asked for.
public enum BlobDownloadError: Error, Hashable, Sendable {
    /// The task was cancelled: nobody waits any more.
    case cancelled
    /// No name, no route, nobody there, or too slow to connect.
    case notReached
    /// The server does not prove that it is the one that was asked for.
    case notTrusted
    /// The connection ended early, or nothing came for too long.
    case connectionLost
    /// The server wants another address to be asked, which is refused.
    case redirected
    /// The server answered with another status than success.
    case status(Int)
    /// The server sends other bytes than were asked for, or in a coding, or something that is not HTTP.
    case wrongAnswer
    /// It says that the blob is longer or shorter than the message does, or sends more.
    case wrongLength
    /// `take` wanted no more.
    case refused

    /// Whether the same request may well succeed a moment later.
    var isPassing: Bool {
        switch self {
        case .notReached, .connectionLost, .status(408), .status(429), .status(500...599): true
        case .cancelled, .notTrusted, .redirected, .status, .wrongAnswer, .wrongLength, .refused: false
        }
    }
}
