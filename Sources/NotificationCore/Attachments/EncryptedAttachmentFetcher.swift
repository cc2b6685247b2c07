internal import Envelope
public import Opening
internal import Platform

/// Fetches attachments from allowed hosts, decrypts them on arrival and checks their type: thumbnails first, then the
/// rest in order, one at a time.
///
///     settings.attachments = EncryptedAttachmentFetcher(
///         policy: AttachmentPolicy(sources: [.init(host: "files.example.com", pathPrefix: "/v1/blobs/")]),
///         temporaryPath: FileManager.default.temporaryDirectory.path
///     )
///
/// No path contains message data, no file is decoded, and only complete files are delivered.
public final class EncryptedAttachmentFetcher: AttachmentFetcher {
    /// Doubled with each retry.
    private static let firstPause = Duration.milliseconds(100)

    private let policy: AttachmentPolicy
    private let temporaryPath: String
    private let downloader: any BlobDownloader

    /// Creates a fetcher; touches no file yet.
    ///
    /// - Parameters:
    ///   - policy: hosts that may be asked, and limits.
    ///   - temporaryPath: extension's temporary folder.
    ///   - downloader: requests the blobs; a test's own, say.
    public init(
        policy: AttachmentPolicy,
        temporaryPath: String,
        downloader: any BlobDownloader = HTTPSDownloader()
    ) {
        self.policy = policy
        self.temporaryPath = temporaryPath
        self.downloader = downloader
    }

    /// True if the message points to attachments, allowed or not.
    public func hasAttachments(_ message: OpenedMessage) -> Bool { !message.message.attachments.isEmpty }

    /// Fetches until done or cancelled, and then deletes files that were not delivered.
    ///
    /// - Parameters:
    ///   - message: points to the files.
    ///   - budget: time until cancellation.
    ///   - deliver: takes everything so far; false if too late.
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

    /// Downloads all bytes, resuming after interruptions.
    ///
    /// - Returns: nil on success.
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
                // Cancelled: no longer needed.
                do { try await pause() } catch { return .notDownloaded(.cancelled) }
                retryCount += 1
            }
        }
        return nil
    }
}
