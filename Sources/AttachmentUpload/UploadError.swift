/// Reason why an upload failed, without contents or destination.
public enum UploadError: Error, Hashable, Sendable {
    /// Cancelled task.
    case cancelled
    /// Host unreachable, or connection broken, several times without progress.
    case connectionLost
    /// Untrusted certificate.
    case notTrusted
    /// Unknown token, or expired pre-signed URL.
    case unauthorized
    /// File beyond the host's limit.
    case tooLarge
    /// Full quota of the tenant, or disk of the host.
    case noSpace
    /// Too many concurrent uploads of the tenant.
    case tooManyUploads
    /// Upload unknown to the host by now.
    case gone
    /// Unexpected status.
    case refused(status: Int)
    /// The URL is not one of `https`.
    case malformedURL
    /// Malformed answer.
    case malformedAnswer
    /// There is no thread, memory or descriptor.
    case system
    /// File unreadable, or changed meanwhile.
    case file(code: Int32)
}
