/// Why an attachment is not where devices could fetch it. Says nothing of what was sent, nor to whom.
public enum UploadError: Error, Hashable, Sendable {
    /// The task was cancelled.
    case cancelled
    /// The host could not be reached, or the connection broke, several times without progress between.
    case connectionLost
    /// The host does not prove who it is.
    case notTrusted
    /// The token is none of the host's, or the pre-signed URL's time is over.
    case unauthorized
    /// More than the host takes in one file.
    case tooLarge
    /// The tenant's quota, or the host's disk, is full.
    case noSpace
    /// As many uploads as the tenant may have at once are under way.
    case tooManyUploads
    /// The host does not know the upload any more.
    case gone
    /// Another status than those that one could expect.
    case refused(status: Int)
    /// The URL is not one of `https`.
    case malformedURL
    /// What the host says is not what such a host says.
    case malformedAnswer
    /// The machine has no thread, memory or descriptor for it.
    case system
    /// The file could not be read, or changed while it was.
    case file(code: Int32)
}
