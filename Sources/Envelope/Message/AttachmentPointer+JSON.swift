extension AttachmentPointer {
    /// Contains the key.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member(AttachmentMember.id.rawValue, id.text)
            writer.member(AttachmentMember.url.rawValue, url.text)
            writer.member(AttachmentMember.key.rawValue, key.text)
            writer.member(AttachmentMember.size.rawValue, byteCount)
            writer.member(AttachmentMember.stored.rawValue, storedByteCount)
            writer.member(AttachmentMember.type.rawValue, type.text)
            if let name { writer.member(AttachmentMember.name.rawValue, name) }
            if isThumbnail { writer.member(AttachmentMember.thumbnail.rawValue, true) }
        }
        return writer.bytes
    }
}
