/// Reason why an upload failed, without contents or destination.
public enum UploadError: Error, Hashable, Sendable {
    /// The task was cancelled.
    case cancelled
    /// The host was unreachable, or the connection broke, several times without progress.
    case connectionLost
    /// The certificate is not trusted.
    case notTrusted
    /// The token is unknown, or the pre-signed URL has expired.
    case unauthorized
    /// The file exceeds the host's limit.
    case tooLarge
    /// The tenant's quota, or the host's disk, is full.
    case noSpace
    /// The tenant has too many concurrent uploads.
    case tooManyUploads
    /// The host no longer knows the upload.
    case gone
    /// The status was unexpected.
    case refused(status: Int)
    /// The URL is not one of `https`.
    case malformedURL
    /// The answer is malformed.
    case malformedAnswer
    /// There is no thread, memory or descriptor.
    case system
    /// The file could not be read, or changed meanwhile.
    case file(code: Int32)
}
