import AttachmentStream
import AttachmentUpload
import Envelope
import Foundation

/// Seals a file, and brings it to a host of attachments.
///
/// - Returns: what goes into the message's `attachments`.
func attachment(
    _ path: String,
    type: MediaType,
    at host: BlobHost,
    trust: AttachmentUploader.Trust = .system
) async throws -> AttachmentPointer {
    let sealedPath = path + ".sealed"
    let sealed = try AttachmentFile.seal(from: path, to: sealedPath)
    let url = try await AttachmentUploader(trust: trust).upload(sealedPath, to: host)
    try FileManager.default.removeItem(atPath: sealedPath)
    return try sealed.pointer(to: url, type: type)
}
