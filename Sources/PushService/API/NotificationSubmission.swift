package import APNS
import APNSProvider
package import Envelope
package import Primitives
package import PushStore
import ServiceParts

/// Body of `POST /v1/notifications`. An object: cheaper than copying.
package final class NotificationSubmission: Sendable {
    package struct Recipient: Equatable, Sendable {
        package let index: Int
        package let device: DeviceID
        /// nil if the class requires none.
        package let field: SealedField?
        package let trace: Trace
        /// nil: the app's own, or PushKit's.
        package let purpose: TokenPurpose?
        /// Sealed capability's; nil: no receipt is awaited.
        package let receiptHash: ReceiptHash?
    }

    package let bundleID: BundleID
    package let notificationClass: NotificationClass
    package let priority: Priority
    /// Seconds from now; 0 is one attempt by APNs.
    package let expirySeconds: Int64
    package let activity: ActivityFields?
    /// Sender's word; Apple sees another for each device.
    package let collapseWord: String?
    package let idempotencyKey: String?
    /// One or more.
    package let recipients: [Recipient]
    /// Leaves out recipients that cannot be sent to.
    package let isPartial: Bool
    /// Left out; none unless `isPartial`.
    package let rejected: [RecipientRejection]
    private let body: [UInt8]

    /// SHA-256 of the body: one idempotency key, one body.
    package var digest: [UInt8] { SHA256.hash(body) }

    private static let names = [
        "topic", "class", "priority", "expiry", "collapse-id", IdempotencyKey.name, "partial", "recipients", "aps",
        "alerts",
    ]
    private static let recipientNames = ["device", "sealed", "webpush", "trace", "receipt-hash", "token-name"]

    /// - Parameters:
    ///   - app: room for RFC 8291's record; nil if the tenant has no such app.
    ///   - allowsClearText: in a Live Activity's `aps`.
    /// - Throws: `.plainText`, `.payloadTooLarge`, `.invalidFields`.
    package init(
        _ request: APIRequest,
        _ value: JSONValue,
        app: (BundleID) -> Int?,
        recipientCountMax: Int,
        allowsClearText: Bool = false,
        random: inout some RandomSource
    ) throws(Problem) {
        let faults = FieldErrors()
        let isClear = allowsClearText && value["class"]?.string == NotificationClass.liveActivity.rawValue
        let searched = isClear ? .object((value.members ?? []).filter { $0.name != "aps" }) : value
        PlainTextNames.find(in: searched, at: .root, faults)
        guard faults.all.isEmpty, let reader = ObjectReader(value, at: .root, names: Self.names, faults: faults) else {
            throw Problem(faults.all)
        }
        var known: (bundleID: BundleID, room: Int)?
        _ = reader.text("topic", 1...155, Self.topicForm(reader), isRequired: true) { text in
            if let id = try? BundleID(text), let room = app(id) { known = (id, room) }
            return known != nil
        }
        let chosen: NotificationClass? = reader.choice("class", isRequired: true)
        let notificationClass = chosen ?? .normal
        let priority = Self.priority(reader, notificationClass)
        let expiry = Self.expiry(reader, notificationClass)
        let activity = Self.activity(reader, notificationClass, allowsClearText: allowsClearText)
        let word = Self.collapseWord(reader, notificationClass)
        let key = IdempotencyKey.read(request, reader)
        let isPartial = reader.flag("partial") ?? false
        let elements =
            reader.elements("recipients", 1...recipientCountMax, of: "recipients", isRequired: true) ?? []
        // Recipients cannot be checked without these.
        guard let (bundleID, room) = known, chosen != nil, notificationClass != .liveActivity || activity != nil else {
            throw Problem(faults.all)
        }
        var recipients: [Recipient] = []
        var rejected: [RecipientRejection] = []
        recipients.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() where faults.all.count < FieldErrors.countMax {
            let own = isPartial ? RecipientRejection.makeFaults() : faults
            let recipient = Self.recipient(element, at: index, notificationClass, activity, room: room, own, &random)
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
        self.activity = activity
        expirySeconds = expiry
        collapseWord = word
        idempotencyKey = key
        self.recipients = recipients
        self.isPartial = isPartial
        self.rejected = rejected
        body = request.body
    }

    /// A server's push to an endpoint.
    init(
        _ push: WebPushRequest,
        to target: EndpointTarget,
        _ field: SealedField?,
        _ trace: Trace,
        body: [UInt8]
    ) {
        bundleID = BundleID(of: target.topic, .alert)
        notificationClass = push.notificationClass
        priority = push.notificationClass.priority
        expirySeconds = push.expirySeconds
        activity = nil
        collapseWord = push.collapseWord(EndpointID(target.endpoint.hash))
        idempotencyKey = nil
        recipients = [
            Recipient(
                index: 0,
                device: target.endpoint.device.device,
                field: field,
                trace: trace,
                purpose: nil,
                receiptHash: nil
            )
        ]
        isPartial = false
        rejected = []
        self.body = body
    }

    /// - Throws: Apple's rule, for a Live Activity.
    package func payload(for recipient: Recipient, placeholder: Placeholder) throws(PayloadError) -> [UInt8] {
        guard let activity else {
            return SealedPayload.bytes(
                recipient.field,
                placeholder: placeholder,
                trace: recipient.trace,
                pushType: notificationClass.pushType
            )
        }
        let sealed = recipient.field.map { field in
            JSONValue.object([
                .named(field.format.rawValue, .string(String(decoding: field.text, as: UTF8.self))),
                .named("trace", .string(recipient.trace.text)),
            ])
        }
        return try activity.payload(sealed: sealed, alert: Alert(placeholder))
    }

    /// Apple's rule, if the topic has a push type's suffix.
    private static func topicForm(_ reader: ObjectReader) -> String {
        let form = "the bundle id of one of the tenant's apps"
        guard let text = reader.object["topic"]?.string, let owner = (try? Topic(text))?.suffixOwner else {
            return form
        }
        return form + "; the service adds \(owner.topicSuffix), Apple's suffix for \(owner.rawValue) pushes"
    }

    private static func activity(
        _ reader: ObjectReader,
        _ notificationClass: NotificationClass,
        allowsClearText: Bool
    ) -> ActivityFields? {
        guard notificationClass != .liveActivity else {
            return ActivityFields(reader, allowsClearText: allowsClearText)
        }
        for name in ["aps", "alerts"] {
            guard let value = reader.object[name] else { continue }
            reader.wrong(name, value, "none: the service writes this class's 'aps'")
        }
        return nil
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
            let reason = notificationClass == .call ? "a call: every call rings" : "this class: nothing is replaced"
            reader.wrong("collapse-id", value, "none for \(reason)")
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
        _ activity: ActivityFields?,
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
        let isFieldExpected =
            isSealed || notificationClass.sealing == .required
            || (notificationClass == .liveActivity && activity?.aps.contentState == nil)
        let field = isFieldExpected ? field(reader, notificationClass, activity, room: room) : nil
        let purpose = purpose(reader, notificationClass, activity)
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
        guard let device = device.flatMap({ try? DeviceID($0) }), !isFieldExpected || field != nil,
            purpose != nil || notificationClass.tokenKind == nil
        else { return nil }
        return Recipient(
            index: index,
            device: device,
            field: field,
            trace: trace ?? Trace(bytes: random.bytes(count: 16)),
            purpose: purpose,
            receiptHash: hash
        )
    }

    /// - Returns: nil for the app's own or PushKit's, and with a fault.
    private static func purpose(
        _ reader: ObjectReader,
        _ notificationClass: NotificationClass,
        _ activity: ActivityFields?
    ) -> TokenPurpose? {
        let isStart = activity?.aps.event == .start
        guard let kind = notificationClass.tokenKind, !isStart else {
            if let value = reader.object["token-name"] {
                let start = "a start goes to the token that 'attributes-type' names"
                let reason = isStart ? start : "this class has one token"
                reader.wrong("token-name", value, "none: \(reason)")
            }
            return isStart ? TokenPurpose(.liveActivityStart, name: activity?.aps.attributesType ?? "") : nil
        }
        return TokenFields.purpose(kind, reader, "token-name")
    }

    /// Device of a recipient with any faults.
    private static func device(_ value: JSONValue) -> DeviceID? {
        value["device"]?.string.flatMap { try? Identifier.isValid($0) ? DeviceID($0) : nil }
    }

    private static func field(
        _ reader: ObjectReader,
        _ notificationClass: NotificationClass,
        _ activity: ActivityFields?,
        room: Int
    ) -> SealedField? {
        let hasRoom = notificationClass.sealing != .refused && activity?.aps.contentState == nil
        for name in hasRoom ? [] : ["sealed", "webpush"] {
            guard let value = reader.object[name] else { continue }
            let refused = "none: this class has only Apple's own members, and no room for others"
            let twice = "none beside 'content-state' in 'aps'; write one of them"
            reader.wrong(name, value, notificationClass.sealing == .refused ? refused : twice)
            return nil
        }
        let webPush = reader.object["webpush"]
        guard let webPush else {
            let isActivity = notificationClass == .liveActivity
            return sealed(reader, "sealed", isContentState: isActivity) { text throws(SealedFieldError) in
                try SealedField(sealed: text, for: notificationClass.pushClass)
            }
        }
        guard reader.object["sealed"] == nil, notificationClass != .call, notificationClass != .liveActivity else {
            let problem = "'sealed' or 'webpush', not both, and no 'webpush' for a call or Live Activity"
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
        isContentState: Bool = false,
        _ make: (String) throws(SealedFieldError) -> SealedField
    ) -> SealedField? {
        let form = "the output of sealing, in base64url"
        let rule = PayloadError.missing(.contentState, for: .liveactivity)
        let expected = isContentState ? "\(form), or 'content-state' in 'aps'; Apple's rule: \(rule)" : form
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

    /// Finds repetitions: one message twice for a device, or a trace that links recipients.
    private static func findDoubles(
        _ recipients: [Recipient],
        _ rejected: [RecipientRejection],
        _ reader: ObjectReader
    ) {
        guard recipients.count + rejected.count > 1 else { return }
        let devices = recipients.map(\.device) + rejected.compactMap(\.device)
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
