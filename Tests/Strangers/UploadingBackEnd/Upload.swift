import AttachmentUpload

/// Brings a sealed file to a host of attachments.
///
/// - Returns: where devices fetch it; it goes into the message.
func upload(
    _ path: String,
    to host: String,
    token: String,
    trust: AttachmentUploader.Trust = .system
) async throws -> String {
    guard let host = BlobHost(url: host, token: token) else { throw BadSettings() }
    return try await AttachmentUploader(trust: trust).upload(path, to: host).text
}

/// The address of the host is none, or not one of HTTPS.
struct BadSettings: Error {}
