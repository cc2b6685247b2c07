/// Attachment's members (docs/protocol.md, section 6), in written order.
enum AttachmentMember: String, CaseIterable {
    case id, url, key, size, stored, type, name, thumbnail
}

/// Reads one attachment. Unknown members are ignored.
struct AttachmentReader {
    static let listExpected = "an array of objects, \(AttachmentPointer.countMax) at most"

    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    // `url` replaces the member of that name; nil makes it required.
    func pointer(at url: AttachmentURL? = nil) throws(MessageMemberError) -> AttachmentPointer {
        guard value.members != nil else {
            throw MessageMemberError(reason: .expected(Self.listExpected, .attachments), offset: value.offset)
        }
        let id = try parsed(.id, "22 characters of base64url", AttachmentID.init(text:))
        let url =
            if let url { url } else {
                try parsed(.url, "an https URL of \(AttachmentURL.byteCountMax) bytes at most", AttachmentURL.init)
            }
        let key = try parsed(.key, "43 characters of base64url", AttachmentKey.init(text:))
        let byteCount = try number(.size)
        let storedByteCount = try number(.stored)
        let type = try parsed(.type, "a media type in lower case, such as \"image/jpeg\"", MediaType.init)
        let name = try text(.name)
        let isThumbnail = try flag(.thumbnail)
        let pointer: AttachmentPointer
        do {
            pointer = try AttachmentPointer(
                id: id,
                url: url,
                key: key,
                byteCount: byteCount,
                type: type,
                name: name,
                isThumbnail: isThumbnail
            )
        } catch {
            switch error {
            case .tooLong(let byteCountMax): throw fault(.size, "\(byteCountMax) at most")
            case .name(let byteCountMax): throw fault(.name, "a string of \(byteCountMax) bytes at most")
            }
        }
        guard storedByteCount == pointer.storedByteCount else {
            throw fault(.stored, "\(pointer.storedByteCount), which follows from \"size\"")
        }
        return pointer
    }

    private func parsed<Value>(
        _ member: AttachmentMember,
        _ what: String,
        _ parse: (String) -> Value?
    ) throws(MessageMemberError) -> Value {
        guard let value = try text(member).flatMap(parse) else { throw fault(member, what) }
        return value
    }

    /// Nil if absent or empty.
    private func text(_ member: AttachmentMember) throws(MessageMemberError) -> String? {
        guard let value = value[member.rawValue] else { return nil }
        guard let text = value.string else { throw fault(member, "a string") }
        return text.isEmpty ? nil : text
    }

    private func number(_ member: AttachmentMember) throws(MessageMemberError) -> UInt64 {
        guard case .integer(let number) = value[member.rawValue]?.content, let number = UInt64(exactly: number) else {
            throw fault(member, "a number of bytes")
        }
        return number
    }

    private func flag(_ member: AttachmentMember) throws(MessageMemberError) -> Bool {
        guard let value = value[member.rawValue] else { return false }
        guard case .bool(let flag) = value.content else { throw fault(member, "true or false") }
        return flag
    }

    private func fault(_ member: AttachmentMember, _ what: String) -> MessageMemberError {
        MessageMemberError(reason: .attachment(member, what), offset: (value[member.rawValue] ?? value).offset)
    }
}

extension MemberReader {
    func attachments(for operation: Message.Operation) throws(MessageMemberError) -> [AttachmentPointer] {
        guard let value = document[MessageMember.attachments.rawValue] else { return [] }
        guard let elements = value.elements, elements.count <= AttachmentPointer.countMax else {
            throw fault(.expected(AttachmentReader.listExpected, .attachments), at: value)
        }
        var pointers: [AttachmentPointer] = []
        for element in elements { pointers.append(try AttachmentReader(element).pointer()) }
        guard AttachmentPointer.areAttachments(pointers) else {
            throw fault(
                .expected("files of different ids and keys, with the file behind each thumbnail", .attachments),
                at: value
            )
        }
        guard pointers.isEmpty || operation.takesAttachments else { throw outOfPlace(.attachments) }
        return pointers
    }
}
