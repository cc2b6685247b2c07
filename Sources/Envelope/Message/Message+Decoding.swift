extension Message {
    /// Includes the object itself.
    package static let bodyDepthMax = 8

    /// Reads the sealed body. Unknown members are ignored, so that newer senders reach older apps; "crit" lists names
    /// that must be understood.
    package init(sealedBody bytes: [UInt8]) throws(MessageError) {
        let limits = JSONParser.Limits(byteCountMax: bytes.count, depthMax: Self.bodyDepthMax, allowsFractions: false)
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes, limits: limits)
        } catch {
            throw .malformed
        }
        do {
            try self.init(members: document)
        } catch {
            if case .unsupported = error.reason { throw .unsupported }
            throw .malformed
        }
    }

    /// Critical names and operation first: a future message is unsupported, not malformed.
    init(members document: JSONValue) throws(MessageMemberError) {
        let reader = try MemberReader(document)
        self.init()
        criticalNames = try reader.criticalNames()
        operation = try reader.operation()
        title = try reader.text(.title)
        subtitle = try reader.text(.subtitle)
        body = try reader.text(.body)
        threadID = try reader.text(.threadID)
        localizedTitle = try reader.localized(.titleKey, .titleArguments)
        localizedSubtitle = try reader.localized(.subtitleKey, .subtitleArguments)
        localizedBody = try reader.localized(.bodyKey, .bodyArguments)
        category = try reader.text(.category)
        sound = try reader.sound()
        level = Message.InterruptionLevel(rawValue: try reader.text(.level))
        relevanceScore = try reader.decimal(.relevanceScore)
        badge = try reader.badge(for: operation)
        targetContentID = try reader.text(.targetContentID)
        senderName = try reader.text(.sender)
        userInfo = try reader.userInfo()
        attachments = try reader.attachments(for: operation)
        receipt = try reader.receipt()
        guard hasText || !operation.needsText else {
            throw MessageMemberError(reason: .noText, offset: document.offset)
        }
    }
}
