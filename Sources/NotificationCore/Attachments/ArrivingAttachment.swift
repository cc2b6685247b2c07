internal import AttachmentStream
internal import Envelope
internal import Platform

/// One attachment from its first byte to a file that may be shown. Its file goes with it unless `finish` succeeded.
///
/// All of it may wait for a disk; the calls come one after the other.
final class ArrivingAttachment: Sendable {
    /// The opener, for whoever took it out of the lock.
    ///
    /// Unchecked: there is one reference, and it is taken out to be used.
    private final class Box: @unchecked Sendable {
        var opener: AttachmentFileOpener?
        init(_ opener: consuming AttachmentFileOpener) { self.opener = consume opener }
    }

    private struct State {
        var box: Box?
        var receivedByteCount: UInt64 = 0
        var problem: MissingAttachment.Reason?
    }

    private let pointer: AttachmentPointer
    private let path: String
    private let state: Guarded<State>

    /// - Parameters:
    ///   - pointer: which attachment.
    ///   - path: of the file on its way, where nothing is yet.
    /// - Throws: `.noRoom`, `.notOpened`.
    init(_ pointer: AttachmentPointer, at path: String) throws(MissingAttachment.Reason) {
        do throws(AttachmentError) {
            let box = try pointer.key.withBytes { (key) throws(AttachmentError) in
                Box(
                    try AttachmentFileOpener.create(
                        at: path,
                        key: key,
                        context: pointer.context,
                        byteCount: pointer.byteCount
                    )
                )
            }
            state = Guarded(State(box: box))
        } catch {
            throw MissingAttachment.Reason(error)
        }
        self.pointer = pointer
        self.path = path
    }

    /// What is still to come; nil where nothing is.
    var request: BlobRequest? {
        let offset = state.withLock { $0.receivedByteCount }
        guard offset < pointer.storedByteCount else { return nil }
        return BlobRequest(url: pointer.url, offset: offset, byteCount: pointer.storedByteCount)
    }

    /// Why it wanted no more.
    var problem: MissingAttachment.Reason? { state.withLock { $0.problem } }

    /// - Parameter bytes: the next ones.
    /// - Returns: whether more are wanted.
    func take(_ bytes: RawSpan) -> Bool {
        guard let box = takeBox() else { return false }
        do throws(AttachmentError) {
            guard box.opener != nil else { return false }
            try box.opener?.update(bytes)
            state.withLock { state in
                state.receivedByteCount += UInt64(bytes.byteCount)
                state.box = box
            }
            return true
        } catch {
            state.withLock { $0.problem = MissingAttachment.Reason(error) }
            return false
        }
    }

    /// Looks at the whole file, and gives it its name.
    ///
    /// - Parameters:
    ///   - format: what it has to be.
    ///   - pixelCountMax: of a picture.
    ///   - path: of the file from here on, where nothing is yet.
    /// - Returns: the file.
    /// - Throws: why it is not to be shown; the file is gone then.
    func finish(
        as format: AttachmentFormat,
        pixelCountMax: UInt64,
        at path: String
    ) throws(MissingAttachment.Reason) -> NotificationContent.Attachment {
        guard let opener = takeBox()?.opener.take() else { throw problem ?? .notOpened }
        do throws(AttachmentError) { try opener.finish() } catch { throw MissingAttachment.Reason(error) }
        do throws(MissingAttachment.Reason) {
            try FileInspection.check(self.path, is: format, pixelCountMax: pixelCountMax)
            guard unsafe rename(self.path, path) == 0 else { throw .noRoom }
        } catch {
            unsafe unlink(self.path)
            throw error
        }
        return NotificationContent.Attachment(id: pointer.id.text, path: path, type: format.typeIdentifier)
    }

    /// Drops what came, and the file.
    func abandon() { state.withLock { $0.box = nil } }

    private func takeBox() -> Box? {
        state.withLock { state in
            defer { state.box = nil }
            return state.box
        }
    }
}

/// Whether a file is what its sender says, by its first bytes. It is not decoded: that is left to iOS's own process.
enum FileInspection {
    /// - Throws: `.notOfItsType`, `.tooManyPixels`, `.noRoom` where it cannot be read.
    static func check(
        _ path: String,
        is format: AttachmentFormat,
        pixelCountMax: UInt64
    ) throws(MissingAttachment.Reason) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .noRoom }
        defer { close(descriptor) }
        func read(_ offset: UInt64, _ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let found = unsafe pread(descriptor, &bytes, count, off_t(clamping: offset))
            return Array(bytes.prefix(max(found, 0)))
        }
        guard format.isHeader(read(0, AttachmentFormat.headerByteCount)) else { throw .notOfItsType }
        guard let picture = format.picture else { return }
        guard let size = PictureSize(picture, read: read) else { throw .notOfItsType }
        guard size.pixelCount <= pixelCountMax else { throw .tooManyPixels }
    }
}

extension MissingAttachment.Reason: Error {
    fileprivate init(_ error: AttachmentError) {
        self =
            switch error {
            case .file, .notARegularFile, .sourceChanged: .noRoom
            case .truncated, .tooLong, .wrongKey, .damaged, .wrongPadding: .notOpened
            }
    }
}
