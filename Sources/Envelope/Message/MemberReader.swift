struct MemberReader {
    let document: JSONValue

    init(_ document: JSONValue) throws(MessageMemberError) {
        guard document.members != nil else {
            throw MessageMemberError(reason: .expected("an object in braces", .body), offset: document.offset)
        }
        self.document = document
    }

    /// Empty if absent.
    func text(_ member: MessageMember) throws(MessageMemberError) -> String {
        guard let value = document[member.rawValue] else { return "" }
        guard let text = value.string else { throw fault(.expected("a string", member), at: value) }
        return text
    }

    private func texts(_ member: MessageMember, countMax: Int) throws(MessageMemberError) -> [String] {
        guard let value = document[member.rawValue] else { return [] }
        let expected = "an array of strings, \(countMax) at most"
        guard let elements = value.elements, elements.count <= countMax else {
            throw fault(.expected(expected, member), at: value)
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { throw fault(.expected(expected, member), at: element) }
            texts.append(text)
        }
        return texts
    }

    func criticalNames() throws(MessageMemberError) -> [String] {
        let names = try texts(.crit, countMax: Int.max)
        guard names.allSatisfy({ MessageMember(name: $0) != nil }) else { throw fault(.unsupported(.crit), at: nil) }
        return names
    }

    func operation() throws(MessageMemberError) -> Message.Operation {
        let name = try text(.op)
        // First: a future operation may have other members.
        guard ["", "show", "replace", "remove", "badge", "call", "test"].contains(name) else {
            throw fault(.unsupported(.op), at: document[MessageMember.op.rawValue])
        }
        let target = try target()
        let call = try text(.call)
        guard call.isEmpty || name == "call" else { throw outOfPlace(.call) }
        guard target == nil || name == "replace" || name == "remove" else { throw outOfPlace(.target) }
        switch name {
        case "replace": return .replace(try required(target, .target))
        case "remove": return .remove(try required(target, .target))
        case "badge": return .badge
        case "call": return .call(try required(call.isEmpty ? nil : call, .call))
        case "test": return .test
        default: return .show
        }
    }

    private func target() throws(MessageMemberError) -> MessageID? {
        guard let value = document[MessageMember.target.rawValue] else { return nil }
        guard value.string != "" else { return nil }
        guard let text = value.string, let id = MessageID(text: text) else {
            throw fault(.expected("a message id, 22 characters of base64url", .target), at: value)
        }
        return id
    }

    func localized(_ key: MessageMember, _ arguments: MessageMember) throws(MessageMemberError) -> LocalizedText? {
        let key = try text(key)
        let texts = try texts(arguments, countMax: LocalizedText.argumentCountMax)
        guard !key.isEmpty else {
            guard texts.isEmpty else { throw outOfPlace(arguments) }
            return nil
        }
        return LocalizedText(key: key, arguments: texts)
    }

    func sound() throws(MessageMemberError) -> Message.Sound? {
        let name = try text(.sound)
        let volume = try decimal(.soundVolume)
        guard !name.isEmpty else {
            guard volume == nil else { throw outOfPlace(.soundVolume) }
            return nil
        }
        return Message.Sound(name: name, volume: volume)
    }

    func decimal(_ member: MessageMember) throws(MessageMemberError) -> UnitDecimal? {
        let text = try text(member)
        guard !text.isEmpty else { return nil }
        guard let decimal = UnitDecimal(text: text) else {
            throw fault(
                .expected("a string from \"0\" to \"1\", with at most 4 decimals", member),
                at: document[member.rawValue]
            )
        }
        return decimal
    }

    func badge(for operation: Message.Operation) throws(MessageMemberError) -> Int? {
        guard let value = document[MessageMember.badge.rawValue] else {
            guard operation != .badge else { throw fault(.missing(.badge), at: nil) }
            return nil
        }
        guard case .integer(let number) = value.content, let badge = Int(exactly: number),
            Message.badgeRange.contains(badge)
        else { throw fault(.expected("a number from 0 to 9999", .badge), at: value) }
        return badge
    }

    func userInfo() throws(MessageMemberError) -> [String: Message.InfoValue] {
        guard let value = document[MessageMember.userInfo.rawValue] else { return [:] }
        let expected = MessageMemberError.Reason.expected(
            "an object of strings, integers and booleans, 16 at most",
            .userInfo
        )
        guard let members = value.members, members.count <= Message.infoCountMax else {
            throw fault(expected, at: value)
        }
        var info: [String: Message.InfoValue] = [:]
        for member in members {
            guard Message.isInfoName(member.name) else { throw fault(expected, at: value) }
            switch member.value.content {
            case .string(let text): info[member.name] = .string(text)
            case .integer(let number): info[member.name] = .integer(number)
            case .bool(let flag): info[member.name] = .bool(flag)
            case .null, .fraction, .array, .object: throw fault(expected, at: member.value)
            }
        }
        return info
    }

    func receipt() throws(MessageMemberError) -> ReceiptCapability? {
        let text = try text(.receipt)
        guard !text.isEmpty else { return nil }
        guard let receipt = ReceiptCapability(text: text) else {
            throw fault(
                .expected("22 characters of base64url", .receipt),
                at: document[MessageMember.receipt.rawValue]
            )
        }
        return receipt
    }

    private func required<Value>(_ value: Value?, _ member: MessageMember) throws(MessageMemberError) -> Value {
        guard let value else { throw fault(.missing(member), at: nil) }
        return value
    }

    func outOfPlace(_ member: MessageMember) -> MessageMemberError {
        fault(.outOfPlace(member), at: document[member.rawValue])
    }

    func fault(_ reason: MessageMemberError.Reason, at value: JSONValue?) -> MessageMemberError {
        MessageMemberError(reason: reason, offset: value?.offset ?? document.offset)
    }
}
