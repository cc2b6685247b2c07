import AttachmentStream
import AttachmentUpload
import Envelope
import Platform

/// Seals attachments and uploads them. Only sealed bytes are written, beside the database.
final class AttachmentStage: Sendable {
    private let host: BlobHost
    private let uploader: AttachmentUploader
    private let configuration: SidecarConfiguration
    /// Numbers of files in use: what a kill leaves is overwritten.
    private let numbers = Guarded<Set<Int>>([])

    init(_ host: BlobHost, _ configuration: SidecarConfiguration) {
        self.host = host
        self.configuration = configuration
        let authorities = configuration.attachments?.authoritiesFile
        uploader = AttachmentUploader(trust: authorities.map { .file(path: $0) } ?? .system)
    }

    /// - Throws: `.invalidFields` for a file that cannot be sent, `.attachmentsUnreachable`.
    func upload(_ attachments: [MessageSubmission.Attachment]) async throws(SidecarProblem) -> [AttachmentPointer] {
        var pointers: [AttachmentPointer] = []
        for attachment in attachments { pointers.append(try await upload(attachment)) }
        return pointers
    }

    private func upload(_ attachment: MessageSubmission.Attachment) async throws(SidecarProblem) -> AttachmentPointer {
        let number = numbers.withLock { numbers in
            let number = (0...numbers.count).first { !numbers.contains($0) } ?? numbers.count
            numbers.insert(number)
            return number
        }
        let path = "\(configuration.databaseFile)-attachment-\(number)"
        unsafe unlink(path)
        defer {
            unsafe unlink(path)
            numbers.withLock { _ = $0.remove(number) }
        }
        let sealed = try await seal(attachment.source, to: path)
        let url: AttachmentURL
        do throws(UploadError) {
            url = try await uploader.upload(path, to: host)
        } catch {
            throw Self.problem(error)
        }
        do throws(AttachmentPointerError) {
            return try sealed.pointer(to: published(url), type: attachment.type, name: attachment.name)
        } catch {
            throw SidecarProblem(.invalidFields, "An attachment's name is empty or too long.")
        }
    }

    private func seal(
        _ source: MessageSubmission.Attachment.Source,
        to path: String
    ) async throws(SidecarProblem) -> SealedAttachment {
        if case .path(let file) = source { try check(file) }
        // Touches no state, and ends; a large file does not hold up the loop.
        let sealing = Task.detached { () -> Result<SealedAttachment, AttachmentError> in
            do throws(AttachmentError) {
                switch source {
                case .path(let file): return .success(try AttachmentFile.seal(from: file, to: path))
                case .bytes(let bytes): return .success(try unsafe AttachmentFile.seal(bytes.span.bytes, to: path))
                }
            } catch {
                return .failure(error)
            }
        }
        switch await sealing.value {
        case .success(let sealed): return sealed
        case .failure:
            throw SidecarProblem(.invalidFields, "An attachment's file cannot be read, or is no regular file.")
        }
    }

    /// Callers may send files of one folder alone: the sidecar's user can read its own key.
    private func check(_ path: String) throws(SidecarProblem) {
        guard let folder = configuration.attachments?.folder, path.hasPrefix(folder + "/"),
            !path.split(separator: "/").contains("..")
        else {
            throw SidecarProblem(.invalidFields, "An attachment's 'path' is outside of the configured 'folder'.")
        }
    }

    /// URL as devices reach it.
    private func published(_ url: AttachmentURL) -> AttachmentURL {
        guard let origin = configuration.attachments?.publicOrigin else { return url }
        return AttachmentURL(origin + url.path) ?? url
    }

    private static func problem(_ error: UploadError) -> SidecarProblem {
        if error == .tooLarge {
            return SidecarProblem(.invalidFields, "The host takes no attachment as long as this one.")
        }
        var problem = SidecarProblem(
            .attachmentsUnreachable,
            "An attachment was not uploaded (\(error)). Nothing was stored; send it again later."
        )
        problem.retryAfterSeconds = 10
        return problem
    }
}
