internal import AttachmentStream
internal import Envelope
internal import Platform

/// Attachment from first byte to file; the file goes unless `finish` succeeds. Calls may block on a disk and must
/// not overlap.
final class ArrivingAttachment: Sendable {
    /// Unchecked: the one reference is taken out to be used.
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

    /// - Parameter path: unused.
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

    /// Missing bytes; nil if complete.
    var request: BlobRequest? {
        let offset = state.withLock { $0.receivedByteCount }
        guard offset < pointer.storedByteCount else { return nil }
        return BlobRequest(url: pointer.url, offset: offset, byteCount: pointer.storedByteCount)
    }

    var problem: MissingAttachment.Reason? { state.withLock { $0.problem } }

    /// - Returns: true for more.
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

    /// Checks the whole file and renames it.
    ///
    /// - Parameter path: unused.
    /// - Throws: the reason; the file is gone.
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

    /// Deletes the partial file.
    func abandon() { state.withLock { $0.box = nil } }

    private func takeBox() -> Box? {
        state.withLock { state in
            defer { state.box = nil }
            return state.box
        }
    }
}

/// Checks a type by first bytes; decoding is left to iOS.
enum FileInspection {
    /// - Throws: `.notOfItsType`, `.tooManyPixels`, `.noRoom` if unreadable.
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
