internal import Envelope
public import Opening
internal import Platform

/// Fetches a message's attachments from the hosts that an app allows, opens them as they arrive, and looks whether they
/// are what they claim to be: thumbnails first, then the rest in the message's order, one after the other.
///
///     settings.attachments = EncryptedAttachmentFetcher(
///         policy: AttachmentPolicy(sources: [.init(host: "files.example.com", pathPrefix: "/v1/blobs/")]),
///         temporaryPath: FileManager.default.temporaryDirectory.path
///     )
///
/// Nothing of a message is a part of a path, no file is decoded, and what is not whole is never handed on.
public final class EncryptedAttachmentFetcher: AttachmentFetcher {
    /// Doubled with each retry.
    private static let firstPause = Duration.milliseconds(100)

    private let policy: AttachmentPolicy
    private let temporaryPath: String
    private let downloader: any BlobDownloader

    /// Touches no file yet.
    ///
    /// - Parameters:
    ///   - policy: the app's constants.
    ///   - temporaryPath: the extension's folder for temporary files.
    ///   - downloader: gets the bytes.
    public init(
        policy: AttachmentPolicy,
        temporaryPath: String,
        downloader: any BlobDownloader = HTTPSDownloader()
    ) {
        self.policy = policy
        self.temporaryPath = temporaryPath
        self.downloader = downloader
    }

    /// Whether the text of this message is to wait at all.
    ///
    /// - Parameter message: authentic, and within its sender's rights.
    /// - Returns: whether it points to attachments, allowed ones or not.
    public func hasAttachments(_ message: OpenedMessage) -> Bool { !message.message.attachments.isEmpty }

    /// Fetches until all that can be had is there, or the task is cancelled; then no file of it is left that was not
    /// delivered.
    ///
    /// - Parameters:
    ///   - message: authentic, and within its sender's rights.
    ///   - budget: after which the task is cancelled.
    ///   - deliver: takes all that is there by now; false where it came too late.
    public func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async {
        let surroundings = DeliverySurroundings.ofThisDevice
        var board = AttachmentBoard(message.message.attachments)
        var byteCountLeft = policy.byteCountMax
        for index in board.order {
            let result = await fetch(board.pointers[index], &byteCountLeft, in: surroundings)
            board.set(result, at: index)
            let isWanted = !Task.isCancelled && deliver(board.fetched)
            let file = isWanted ? board.thumbnail(replacedBy: index) : try? result.get()
            if let file { await surroundings.resultFromThread { _ = unsafe unlink(file.path) } }
            guard isWanted else { return }
        }
    }

    private func fetch(
        _ pointer: AttachmentPointer,
        _ byteCountLeft: inout UInt64,
        in surroundings: DeliverySurroundings
    ) async -> Result<NotificationContent.Attachment, MissingAttachment.Reason> {
        guard policy.allows(pointer.url) else { return .failure(.hostNotAllowed) }
        guard let format = AttachmentFormat(pointer.type) else { return .failure(.unknownType) }
        guard pointer.byteCount <= format.byteCountMax else {
            return .failure(.tooLong(byteCountMax: format.byteCountMax))
        }
        guard pointer.storedByteCount <= byteCountLeft else { return .failure(.overBudget) }
        byteCountLeft -= pointer.storedByteCount
        let arriving = await surroundings.resultFromThread { [temporaryPath] in
            Self.begin(pointer, in: temporaryPath)
        }
        switch arriving {
        case .failure(let reason): return .failure(reason)
        case .success((let folder, let arriving)):
            let problem = await download(arriving, in: surroundings)
            return await surroundings.resultFromThread { [policy] in
                defer { arriving.abandon() }
                if let problem { return .failure(problem) }
                return Result { () throws(MissingAttachment.Reason) in
                    try arriving.finish(
                        as: format,
                        pixelCountMax: policy.pixelCountMax,
                        at: folder.newPath("." + format.fileExtension)
                    )
                }
            }
        }
    }

    private static func begin(
        _ pointer: AttachmentPointer,
        in temporaryPath: String
    ) -> Result<(AttachmentFolder, ArrivingAttachment), MissingAttachment.Reason> {
        Result { () throws(MissingAttachment.Reason) in
            guard let folder = AttachmentFolder.ofProcess(in: temporaryPath) else { throw .noRoom }
            let path = folder.newPath(AttachmentFolder.partialSuffix)
            return (folder, try ArrivingAttachment(pointer, at: path))
        }
    }

    /// Until all bytes are there: what breaks off is taken up where it was.
    ///
    /// - Returns: why they are not.
    private func download(
        _ arriving: ArrivingAttachment,
        in surroundings: DeliverySurroundings
    ) async -> MissingAttachment.Reason? {
        var retryCount = 0
        while let request = arriving.request {
            do throws(BlobDownloadError) {
                try await downloader.download(request) { arriving.take($0) }
            } catch {
                if let problem = arriving.problem { return problem }
                guard error.isPassing, retryCount < policy.retryCountMax else { return .notDownloaded(error) }
                let pause = surroundings.alarm(after: Self.firstPause * (1 << retryCount))
                // Thrown where the task was cancelled: nobody waits any more.
                do { try await pause() } catch { return .notDownloaded(.cancelled) }
                retryCount += 1
            }
        }
        return nil
    }
}
