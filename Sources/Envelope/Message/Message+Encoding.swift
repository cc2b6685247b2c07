extension Message {
    /// Sealed body, and whether `body` was cut.
    ///
    /// - Parameter byteCountMax: 2,690 for an alert under suite 1.
    package func encoded(
        byteCountMax: Int,
        overflow: Overflow
    ) throws(MessageError) -> (json: [UInt8], isTruncated: Bool) {
        try validate()
        let whole = json
        guard whole.count > byteCountMax else { return (whole, false) }
        let excess = whole.count - byteCountMax
        var shortened = self
        // The shortest valid message; the sender has to cut the rest.
        shortened.body = ""
        if operation.needsText && !shortened.hasText { shortened.body = String(body.prefix(1)) }
        let remainder = shortened.json.count - byteCountMax
        if remainder > 0 { try shortened.checkRoomForAttachments(byteCountMax: byteCountMax) }
        guard overflow == .shorten else { throw .tooLong(excessByteCount: excess) }
        guard remainder <= 0 else { throw .tooLong(excessByteCount: remainder) }
        shortened.body = Self.longestPrefix(of: body, escapedByteCountMax: Self.escapedByteCount(body) - excess)
        return (shortened.json, true)
    }

    /// Throws if the message would fit without its attachments.
    private func checkRoomForAttachments(byteCountMax: Int) throws(MessageError) {
        var bare = self
        bare.attachments = []
        let attachmentByteCount = json.count - bare.json.count
        let roomByteCount = byteCountMax - bare.json.count
        guard roomByteCount < 0 || attachmentByteCount <= roomByteCount else {
            throw .noRoomForAttachments(byteCount: attachmentByteCount, roomByteCount: roomByteCount)
        }
    }

    /// Refuses everything that a reader would refuse.
    private func validate() throws(MessageError) {
        guard hasText || !operation.needsText else { throw .noText }
        guard !strings.contains(where: { $0.utf8.contains(0) }) else { throw .containsNUL }
        guard badge.map(Self.badgeRange.contains) ?? (operation != .badge) else { throw .invalid(member: "badge") }
        if case .call(let call) = operation, call.isEmpty { throw .invalid(member: "call") }
        guard localizedTexts.allSatisfy({ !$0.key.isEmpty && $0.arguments.count <= LocalizedText.argumentCountMax })
        else { throw .invalid(member: "loc-key") }
        guard sound?.name != "" else { throw .invalid(member: "sound") }
        guard userInfo.count <= Self.infoCountMax, userInfo.keys.allSatisfy(Self.isInfoName) else {
            throw .invalid(member: "user-info")
        }
        guard attachments.isEmpty || operation.takesAttachments, AttachmentPointer.areAttachments(attachments) else {
            throw .invalid(member: "attachments")
        }
        guard criticalNames.allSatisfy({ MessageMember(name: $0) != nil }) else { throw .invalid(member: "crit") }
    }

    private var localizedTexts: [LocalizedText] {
        [localizedTitle, localizedSubtitle, localizedBody].compactMap(\.self)
    }

    private var strings: [String] {
        var strings = [title, subtitle, body, threadID, category, targetContentID, senderName, sound?.name ?? ""]
        if case .call(let call) = operation { strings.append(call) }
        for text in localizedTexts { strings += [text.key] + text.arguments }
        for case .string(let text) in userInfo.values { strings.append(text) }
        return strings
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            write(operation, to: &writer)
            if let badge { writer.member(MessageMember.badge.rawValue, badge) }
            write(title, .title, to: &writer)
            write(subtitle, .subtitle, to: &writer)
            write(body, .body, to: &writer)
            write(localizedTitle, .titleKey, .titleArguments, to: &writer)
            write(localizedSubtitle, .subtitleKey, .subtitleArguments, to: &writer)
            write(localizedBody, .bodyKey, .bodyArguments, to: &writer)
            write(threadID, .threadID, to: &writer)
            write(category, .category, to: &writer)
            write(sound?.name ?? "", .sound, to: &writer)
            write(sound?.volume?.text ?? "", .soundVolume, to: &writer)
            write(level?.rawValue ?? "", .level, to: &writer)
            write(relevanceScore?.text ?? "", .relevanceScore, to: &writer)
            write(targetContentID, .targetContentID, to: &writer)
            write(senderName, .sender, to: &writer)
            writeUserInfo(to: &writer)
            writeAttachments(to: &writer)
            write(receipt?.text ?? "", .receipt, to: &writer)
            write(criticalNames, .crit, to: &writer)
        }
        return writer.bytes
    }

    /// `show` is the default and not written.
    private func write(_ operation: Operation, to writer: inout JSONWriter) {
        guard operation != .show else { return }
        write(operation.name, .op, to: &writer)
        switch operation {
        case .replace(let target), .remove(let target): write(target.text, .target, to: &writer)
        case .call(let call): write(call, .call, to: &writer)
        case .show, .badge, .test: break
        }
    }

    private func write(_ text: String, _ member: MessageMember, to writer: inout JSONWriter) {
        guard !text.isEmpty else { return }
        writer.member(member.rawValue, text)
    }

    private func write(_ texts: [String], _ member: MessageMember, to writer: inout JSONWriter) {
        guard !texts.isEmpty else { return }
        writer.name(member.rawValue)
        writer.array { writer in for text in texts { writer.string(text) } }
    }

    private func write(
        _ text: LocalizedText?,
        _ key: MessageMember,
        _ arguments: MessageMember,
        to writer: inout JSONWriter
    ) {
        guard let text else { return }
        write(text.key, key, to: &writer)
        write(text.arguments, arguments, to: &writer)
    }

    private func writeAttachments(to writer: inout JSONWriter) {
        guard !attachments.isEmpty else { return }
        writer.name(MessageMember.attachments.rawValue)
        writer.array { writer in for attachment in attachments { writer.raw(attachment.json) } }
    }

    /// Sorted, so that a message has one encoding.
    private func writeUserInfo(to writer: inout JSONWriter) {
        guard !userInfo.isEmpty else { return }
        writer.name(MessageMember.userInfo.rawValue)
        writer.object { writer in
            for (name, value) in userInfo.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .string(let text): writer.member(name, text)
                case .integer(let number): writer.member(name, number)
                case .bool(let flag): writer.member(name, flag)
                }
            }
        }
    }

    /// Whole grapheme clusters only: half a flag or a letter without its accent is another text.
    private static func longestPrefix(of text: String, escapedByteCountMax: Int) -> String {
        var byteCount = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            byteCount += escapedByteCount(text[end..<next])
            guard byteCount <= escapedByteCountMax else { break }
            end = next
        }
        return String(text[..<end])
    }

    private static func escapedByteCount(_ text: some StringProtocol) -> Int {
        var writer = JSONWriter()
        writer.string(String(text))
        return writer.bytes.count - 2
    }
}
