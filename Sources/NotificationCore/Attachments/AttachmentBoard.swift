internal import Envelope

/// Progress of a message's attachments. A value: results in, attachments to show out.
struct AttachmentBoard: Sendable {
    typealias Attachment = NotificationContent.Attachment

    let pointers: [AttachmentPointer]
    private var results: [Result<Attachment, MissingAttachment.Reason>?]

    init(_ pointers: [AttachmentPointer]) {
        self.pointers = pointers
        results = pointers.map { _ in nil }
    }

    /// Fetching order: small, quick thumbnails first.
    var order: [Int] {
        pointers.indices.filter { pointers[$0].isThumbnail } + pointers.indices.filter { !pointers[$0].isThumbnail }
    }

    mutating func set(_ result: Result<Attachment, MissingAttachment.Reason>, at index: Int) { results[index] = result }

    /// Results in message order; a thumbnail only without its picture.
    var fetched: FetchedAttachments {
        FetchedAttachments(
            ready: pointers.indices.filter { !isReplaced($0) }.compactMap { file(at: $0) },
            missing: pointers.indices.filter { !isReplaced($0) }.compactMap(missing)
        )
    }

    /// Thumbnail's file that this one replaces.
    func thumbnail(replacedBy index: Int) -> Attachment? {
        index > 0 && isReplaced(index - 1) ? file(at: index - 1) : nil
    }

    private func isReplaced(_ index: Int) -> Bool {
        pointers[index].isThumbnail && index + 1 < pointers.count && file(at: index + 1) != nil
    }

    private func file(at index: Int) -> Attachment? {
        if case .success(let attachment) = results[index] { attachment } else { nil }
    }

    private func missing(_ index: Int) -> MissingAttachment? {
        let id = pointers[index].id
        switch results[index] {
        case nil: return MissingAttachment(id: id, reason: .notFetched)
        case .failure(let reason): return MissingAttachment(id: id, reason: reason)
        case .success: return nil
        }
    }
}
