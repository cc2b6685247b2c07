package import APNS
import APNSProvider
package import Envelope
package import Primitives
package import PushStore
import ServiceParts

/// Body of `POST /v1/notifications`.
package struct NotificationSubmission: Equatable, Sendable {
    package struct Recipient: Equatable, Sendable {
        /// Place in the body.
        package let index: Int
        package let device: DeviceID
        /// nil only if the class does not require one.
        package let field: SealedField?
        package let trace: Trace
        /// Hash of the sealed capability; nil: no receipt is awaited.
        package let receiptHash: ReceiptHash?
    }

    package let bundleID: BundleID
    package let notificationClass: NotificationClass
    package let priority: Priority
    /// Seconds from now; 0 is one attempt by APNs.
    package let expirySeconds: Int64
    /// Sender's word; Apple sees another for each device.
    package let collapseWord: String?
    package let idempotencyKey: String?
    /// One or more.
    package let recipients: [Recipient]
    /// Leaves out recipients that cannot be sent to.
    package let isPartial: Bool
    /// Those with faults of their own; none unless `isPartial`.
    package let rejected: [RecipientRejection]
    private let body: [UInt8]

    /// SHA-256 of the body: one idempotency key, one body.
    package var digest: [UInt8] { SHA256.hash(body) }

    private static let names = [
        "topic", "class", "priority", "expiry", "collapse-id", IdempotencyKey.name, "partial", "recipients",
    ]
    private static let recipientNames = ["device", "sealed", "webpush", "trace", "receipt-hash"]

    /// - Parameter app: room for a record of RFC 8291 in the app; nil if the tenant has no such app.
    /// - Throws: `.plainText`, `.payloadTooLarge`, `.invalidFields`.
    package init(
        _ request: APIRequest,
        _ value: JSONValue,
        app: (BundleID) -> Int?,
        recipientCountMax: Int,
        random: inout some RandomSource
    ) throws(Problem) {
        let faults = FieldErrors()
        PlainTextNames.find(in: value, at: .root, faults)
        guard faults.all.isEmpty, let reader = ObjectReader(value, at: .root, names: Self.names, faults: faults) else {
            throw Problem(faults.all)
        }
        var known: (bundleID: BundleID, room: Int)?
        _ = reader.text("topic", 1...155, "the bundle id of one of the tenant's apps", isRequired: true) { text in
            if let id = try? BundleID(text), let room = app(id) { known = (id, room) }
            return known != nil
        }
        let chosen: NotificationClass? = reader.choice("class", isRequired: true)
        let notificationClass = chosen ?? .normal
        let priority = Self.priority(reader, notificationClass)
        let expiry = Self.expiry(reader, notificationClass)
        let word = Self.collapseWord(reader, notificationClass)
        let key = IdempotencyKey.read(request, reader)
        let isPartial = reader.flag("partial") ?? false
        let elements =
            reader.elements("recipients", 1...recipientCountMax, of: "recipients", isRequired: true) ?? []
        // Recipients cannot be checked without these two.
        guard let (bundleID, room) = known, chosen != nil else { throw Problem(faults.all) }
        var recipients: [Recipient] = []
        var rejected: [RecipientRejection] = []
        recipients.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() where faults.all.count < FieldErrors.countMax {
            let own = isPartial ? RecipientRejection.makeFaults() : faults
            let recipient = Self.recipient(element, at: index, notificationClass, room: room, own, &random)
            if isPartial, !own.all.isEmpty {
                rejected.append(RecipientRejection(index, Self.device(element.value), own))
            } else if let recipient {
                recipients.append(recipient)
            }
        }
        Self.findDoubles(recipients, rejected, reader)
        guard faults.all.isEmpty else { throw Problem(faults.all) }
        guard !recipients.isEmpty else { throw Problem(ofAll: rejected) }
        self.bundleID = bundleID
        self.notificationClass = notificationClass
        self.priority = priority
        expirySeconds = expiry
        collapseWord = word
        idempotencyKey = key
        self.recipients = recipients
        self.isPartial = isPartial
        self.rejected = rejected
        body = request.body
    }

    private static func priority(_ reader: ObjectReader, _ notificationClass: NotificationClass) -> Priority {
        let byDefault = notificationClass.priority
        guard let value = reader.object["priority"] else { return byDefault }
        guard notificationClass.choosesPriority else {
            reader.wrong("priority", value, "none: this class has \(byDefault.rawValue)")
            return byDefault
        }
        guard case .integer(let number) = value.content, let raw = UInt8(exactly: number),
            let priority = Priority(rawValue: raw)
        else {
            reader.wrong("priority", value, "10, 5 or 1; APNs answers others with BadPriority")
            return byDefault
        }
        guard notificationClass.pushType.expects(priority) else {
            let rule = PushNotificationError.priorityNotAllowed(priority, for: notificationClass.pushType)
            reader.faults.add(.wrong, reader.place("priority"), at: value.offset, "Apple's rule: \(rule)")
            return byDefault
        }
        return priority
    }

    private static func expiry(_ reader: ObjectReader, _ notificationClass: NotificationClass) -> Int64 {
        guard let value = reader.object["expiry"] else { return notificationClass.defaultExpirySeconds }
        guard case .integer(let seconds) = value.content, notificationClass.expirySeconds.contains(seconds) else {
            let known = notificationClass.expirySeconds.map(String.init).joined(separator: ", ")
            reader.wrong("expiry", value, "one of \(known) seconds for this class: few, so that they reveal little")
            return 0
        }
        return seconds
    }

    private static func collapseWord(_ reader: ObjectReader, _ notificationClass: NotificationClass) -> String? {
        guard let value = reader.object["collapse-id"] else { return nil }
        guard notificationClass.collapses else {
            reader.wrong("collapse-id", value, "none for a call: every call rings")
            return nil
        }
        return reader.text(
            "collapse-id",
            1...CollapseKey.wordByteCountMax,
            "1 to \(CollapseKey.wordByteCountMax) bytes without control characters"
        ) { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }

    private static func recipient(
        _ element: (value: JSONValue, path: FieldPath),
        at index: Int,
        _ notificationClass: NotificationClass,
        room: Int,
        _ faults: FieldErrors,
        _ random: inout some RandomSource
    ) -> Recipient? {
        guard let reader = ObjectReader(element.value, at: element.path, names: recipientNames, faults: faults) else {
            return nil
        }
        let id = "a device's id, 1 to 64 of A-Z a-z 0-9 - _"
        let device = reader.text(
            "device",
            1...Identifier.byteCountMax,
            id,
            isRequired: true,
            isValid: Identifier.isValid
        )
        let isSealed = reader.object["sealed"] != nil || reader.object["webpush"] != nil
        let isFieldExpected = isSealed || notificationClass.sealing == .required
        let field = isFieldExpected ? field(reader, notificationClass, room: room) : nil
        let traceForm = "22 characters of base64url: 16 random bytes, for this device only"
        var trace: Trace?
        _ = reader.text("trace", 22...22, traceForm) { text in
            trace = Trace(text: text)
            return trace != nil
        }
        let hashForm = "43 characters of base64url: the hash of the receipt's capability (docs/service.md)"
        var hash: ReceiptHash?
        _ = reader.text("receipt-hash", 43...43, hashForm) { text in
            hash = ReceiptHash(text: text)
            return hash != nil
        }
        if !isFieldExpected, let value = reader.object["receipt-hash"] {
            reader.wrong("receipt-hash", value, "none without 'sealed', in which the capability is")
        }
        guard let device = device.flatMap({ try? DeviceID($0) }), !isFieldExpected || field != nil else { return nil }
        return Recipient(
            index: index,
            device: device,
            field: field,
            trace: trace ?? Trace(bytes: random.bytes(count: 16)),
            receiptHash: hash
        )
    }

    /// Device of a recipient with any faults.
    private static func device(_ value: JSONValue) -> DeviceID? {
        value["device"]?.string.flatMap { try? Identifier.isValid($0) ? DeviceID($0) : nil }
    }

    private static func field(
        _ reader: ObjectReader,
        _ notificationClass: NotificationClass,
        room: Int
    ) -> SealedField? {
        let webPush = reader.object["webpush"]
        guard let webPush else {
            return sealed(reader, "sealed") { text throws(SealedFieldError) in
                try SealedField(sealed: text, for: notificationClass.pushClass)
            }
        }
        guard reader.object["sealed"] == nil, notificationClass != .call else {
            let problem = "'sealed' or 'webpush', not both, and no 'webpush' for a call"
            reader.wrong("webpush", webPush, problem)
            return nil
        }
        return sealed(reader, "webpush") { text throws(SealedFieldError) in
            try SealedField(webPush: text, room: room)
        }
    }

    private static func sealed(
        _ reader: ObjectReader,
        _ name: String,
        _ make: (String) throws(SealedFieldError) -> SealedField
    ) -> SealedField? {
        let expected = "the output of sealing, in base64url"
        guard let value = reader.value(name, expected, isRequired: true) else { return nil }
        guard !SealedField.isWholePayload(value) else {
            reader.faults.add(.wrong, reader.place(name), at: value.offset, SealedField.wholePayloadAdvice)
            return nil
        }
        guard let text = value.string else {
            reader.wrong(name, value, expected)
            return nil
        }
        do throws(SealedFieldError) {
            return try make(text)
        } catch .tooLarge(let byteCount, let byteCountMax) {
            let problem = "\(byteCount) bytes, and the limit is \(byteCountMax)"
            let kind = FieldError.Kind.tooLarge(byteCount: byteCount, byteCountMax: byteCountMax)
            reader.faults.add(kind, reader.place(name), at: value.offset, problem)
        } catch {
            if case .wrong(let expected) = error { reader.wrong(name, value, expected) }
        }
        return nil
    }

    /// Finds repetitions: a device would get one message twice, and a shared trace would link recipients.
    private static func findDoubles(
        _ recipients: [Recipient],
        _ rejected: [RecipientRejection],
        _ reader: ObjectReader
    ) {
        let devices = recipients.map(\.device) + rejected.compactMap(\.device)
        guard devices.count > 1 else { return }
        let offset = reader.object["recipients"]?.offset ?? 0
        let path = reader.place("recipients")
        if Set(devices).count < devices.count {
            reader.faults.add(.wrong, path, at: offset, "the device is listed twice; send it one notification")
        }
        if Set(recipients.map(\.trace)).count < recipients.count {
            reader.faults.add(
                .wrong,
                path,
                at: offset,
                "two recipients have the same trace; leave it out, or make each random"
            )
        }
        if Set(recipients.compactMap(\.receiptHash)).count < recipients.compactMap(\.receiptHash).count {
            reader.faults.add(.wrong, path, at: offset, "two recipients have the same receipt-hash; each needs its own")
        }
    }
}
