/// Reason why an upload failed. Reveals neither contents nor destination.
public enum UploadError: Error, Hashable, Sendable {
    /// The task was cancelled.
    case cancelled
    /// The host was unreachable, or the connection broke, several times in a row without progress.
    case connectionLost
    /// The host's certificate is not trusted.
    case notTrusted
    /// The host does not know the token, or the pre-signed URL has expired.
    case unauthorized
    /// The file exceeds the host's limit.
    case tooLarge
    /// The tenant's quota, or the host's disk, is full.
    case noSpace
    /// The tenant has reached its limit of concurrent uploads.
    case tooManyUploads
    /// The host no longer knows the upload.
    case gone
    /// The host answered with an unexpected status.
    case refused(status: Int)
    /// The URL is not one of `https`.
    case malformedURL
    /// The answer is not one of such a host.
    case malformedAnswer
    /// The machine has no thread, memory or descriptor for it.
    case system
    /// The file could not be read, or changed meanwhile.
    case file(code: Int32)
}
