import Envelope
import Keys
import ServiceParts

/// Body of `POST /v1/messages`.
struct MessageSubmission: Sendable {
    struct Recipient: Equatable, Sendable {
        let device: String
        /// From the app's own channel; nil: the pinned one.
        let identity: IdentityKey?
        /// Back end's name for it, repeated in answers.
        let user: String?
    }

    struct Attachment: Sendable {
        enum Source: Sendable {
            case path(String)
            case bytes([UInt8])
        }

        let source: Source
        let type: MediaType
        let name: String?
    }

    /// Treatment of a message that does not fit.
    enum TooLong: String, CaseIterable, Sendable {
        case refuse
        /// The whole text becomes an attachment; its beginning stays.
        case overflow
    }

    enum Class: String, CaseIterable, Sendable {
        case call, urgent, normal, background
    }

    let message: Message
    let recipients: [Recipient]
    let attachments: [Attachment]
    let messageClass: Class
    /// Seconds for which Apple may keep it; nil: the relay's default.
    let expirySeconds: Int64?
    let collapseID: String?
    let lifetime: Duration?
    let tooLong: TooLong
    /// Message whose words these are, for devices that could not open it.
    let resendOf: MessageID?

    static let names = [
        "message", "conversation", "recipients", "attachments", "class", "expiry", "collapse-id", "lifetime-seconds",
        "too-long", "resend-of",
    ]
    /// 16 MiB of words in base64 nest no deeper.
    static func limits(_ byteCountMax: Int) -> JSONParser.Limits {
        JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 8, allowsFractions: false)
    }

    /// - Throws: `.notJSON`, `.invalidFields`.
    init(_ body: [UInt8], _ limits: SidecarLimits) throws(SidecarProblem) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONParser.parse(body, limits: Self.limits(limits.bodyByteCountMax))
        } catch {
            throw SidecarProblem(.notJSON, "At byte \(error.offset): \(error.reason).")
        }
        let faults = FieldErrors()
        guard let reader = ObjectReader(document, at: .root, names: Self.names, faults: faults) else {
            throw Self.problem(faults)
        }
        let message = Self.message(reader)
        let recipients = Self.recipients(reader, limits.recipientCountMax)
        let attachments = Self.attachments(reader)
        let chosen: Class? = reader.choice("class")
        expirySeconds = reader.integer("expiry", in: 0...604_800)
        collapseID = reader.text("collapse-id", 1...64, "1 to 64 bytes without control characters") {
            $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        lifetime = reader.integer("lifetime-seconds", in: 1...604_800).map { .seconds($0) }
        tooLong = reader.choice("too-long") ?? .refuse
        let resend = "22 characters of base64url: a message's 'id'"
        resendOf = reader.text("resend-of", 22...22, resend, isValid: { MessageID(text: $0) != nil })
            .flatMap { MessageID(text: $0) }
        let isCall = if case .call? = message?.operation { true } else { false }
        if let chosen, (chosen == .call) != isCall {
            reader.wrong(
                "class",
                reader.object["class"] ?? document,
                "'call' for a message with \"op\": \"call\", else another"
            )
        }
        guard faults.all.isEmpty, let message, let recipients else { throw Self.problem(faults) }
        self.message = message
        self.recipients = recipients
        self.attachments = attachments
        messageClass = isCall ? .call : chosen ?? .normal
    }

    private static func problem(_ faults: FieldErrors) -> SidecarProblem {
        var problem = SidecarProblem(.invalidFields, "Mend each field that is named here and send the request again.")
        problem.errors = faults.all.map { ($0.path.pointer, $0.problem) }
        return problem
    }

    private static func message(_ reader: ObjectReader) -> Message? {
        let conversation = reader.text("conversation", 1...256, "1 to 256 bytes of text")
        guard let value = reader.value("message", "an object with the words", isRequired: true) else { return nil }
        do throws(MessageDocumentError) {
            var message = try MessageDocument.parse(JSONWriter.bytes(of: value))
            if let conversation { message.threadID = conversation }
            guard message.receipt == nil, message.attachments.isEmpty else {
                let problem =
                    "leave 'receipt' and 'attachments' out of the words; files go into 'attachments' beside them"
                reader.faults.add(.wrong, reader.place("message"), at: value.offset, problem)
                return nil
            }
            return message
        } catch {
            reader.faults.add(.wrong, reader.place("message"), at: value.offset, "\(error.reason)")
            return nil
        }
    }

    /// Devices, and users with their devices, in one order.
    private static func recipients(_ reader: ObjectReader, _ countMax: Int) -> [Recipient]? {
        let elements = reader.elements("recipients", 1...countMax, of: "devices or users", isRequired: true) ?? []
        var recipients: [Recipient] = []
        for element in elements where recipients.count <= countMax {
            guard element.value["user"] != nil else {
                if let found = device(element, user: nil, reader.faults) { recipients.append(found) }
                continue
            }
            let names = ["user", "devices"]
            guard let object = ObjectReader(element.value, at: element.path, names: names, faults: reader.faults) else {
                continue
            }
            let user = object.text("user", 1...64, "a name of 1 to 64 bytes")
            for one in object.elements("devices", 1...countMax, of: "devices", isRequired: true) ?? [] {
                if let found = device(one, user: user, reader.faults) { recipients.append(found) }
            }
        }
        if recipients.count > countMax || Set(recipients.map(\.device)).count < recipients.count {
            let problem = "\(countMax) devices at most, each once"
            reader.faults.add(.wrong, reader.place("recipients"), at: reader.object["recipients"]?.offset ?? 0, problem)
        }
        return recipients
    }

    private static func device(
        _ element: (value: JSONValue, path: FieldPath),
        user: String?,
        _ faults: FieldErrors
    ) -> Recipient? {
        let names = ["device", "identity"]
        guard let object = ObjectReader(element.value, at: element.path, names: names, faults: faults) else {
            return nil
        }
        let id = "a device's id at the relay, 1 to 64 of A-Z a-z 0-9 - _"
        let device = object.text(
            "device",
            1...Identifier.byteCountMax,
            id,
            isRequired: true,
            isValid: Identifier.isValid
        )
        let form = "the device's identity, 'sealedpush-identity-1:' and 43 characters"
        var identity: IdentityKey?
        _ = object.text("identity", 1...200, form) { text in
            identity = try? IdentityKey(text: text)
            return identity != nil
        }
        guard let device else { return nil }
        return Recipient(device: device, identity: identity, user: user)
    }

    private static func attachments(_ reader: ObjectReader) -> [Attachment] {
        guard reader.object["attachments"] != nil else { return [] }
        let elements = reader.elements("attachments", 1...AttachmentPointer.countMax, of: "attachments") ?? []
        return elements.compactMap { element in
            let names = ["path", "base64url", "type", "name"]
            guard let object = ObjectReader(element.value, at: element.path, names: names, faults: reader.faults) else {
                return nil
            }
            let type = object.text(
                "type",
                1...MediaType.byteCountMax,
                "a media type in lower case, as \"image/jpeg\"",
                isRequired: true
            ) {
                MediaType($0) != nil
            }
            let nameMax = AttachmentPointer.nameByteCountMax
            let name = object.text("name", 1...nameMax, "1 to \(nameMax) bytes") { !$0.utf8.contains(0) }
            guard (object.object["path"] == nil) != (object.object["base64url"] == nil) else {
                reader.faults.add(
                    .wrong,
                    element.path,
                    at: element.value.offset,
                    "write 'path' or 'base64url', one of them"
                )
                return nil
            }
            var source = object.file("path").map { Attachment.Source.path($0) }
            _ = object.text("base64url", 0...(64 << 20), "base64url without padding") { text in
                guard let bytes = Base64URL.decode(text: text) else { return false }
                source = .bytes(bytes)
                return true
            }
            guard let source, let type = type.flatMap({ MediaType($0) }) else { return nil }
            return Attachment(source: source, type: type, name: name)
        }
    }
}
