import APNS
import Envelope
import ServiceParts

/// Properties mapped to Apple's names.
struct SAPProperties {
    private(set) var aps: [JSONMember] = []
    private(set) var pushType = PushType.alert
    private(set) var priority: Priority?
    private(set) var expiration: Expiration?
    private(set) var topic: String?
    private(set) var warnings: [SAPNotification.Warning] = []
    private var custom: [JSONMember] = []

    var payload: JSONValue { .object([.named("aps", .object(aps))] + custom) }

    private enum SAPPushType: String, CaseIterable {
        case alert = "ALERT"
        case background = "BACKGROUND"
        case voip = "VOIP"
        case complication = "COMPLICATION"
        case fileprovider = "FILEPROVIDER"
        case mdm = "MDM"

        var pushType: PushType {
            switch self {
            case .alert: .alert
            case .background: .background
            case .voip: .voip
            case .complication: .complication
            case .fileprovider: .fileprovider
            case .mdm: .mdm
            }
        }
    }

    private enum SAPPriority: String, CaseIterable {
        case normal
        case high
    }

    init?(_ value: JSONValue, at path: FieldPath, _ faults: FieldErrors, now: Int64) {
        guard let nested = SAPNames.nested(value, at: path, faults),
            let reader = ObjectReader(nested, at: path, names: SAPNames.top, faults: faults)
        else { return nil }
        let apns =
            reader.object("apns", names: SAPNames.apns)
            ?? ObjectReader(.object([]), at: reader.place("apns"), names: [], faults: faults)
        guard let apns else { return nil }

        let alert = SAPAlert(reader, apns)
        if alert.isNotJSON { warnings.append(.alertNotJSON) }
        add("alert", alert.value)
        add("badge", reader.integer("badge", in: 0...2_147_483_647).map { .integer($0) })
        add("sound", Self.sound(reader, apns))
        if let data = reader.text("data", 0...PushPayload.byteCountMax, "a string") {
            custom.append(.named("data", .string(data)))
        }
        let isQuiet = aps.isEmpty
        addDetails(apns)
        let contentAvailable = apns.flag("contentAvailable") ?? false
        if contentAvailable { add("content-available", .integer(1)) }
        let asked: SAPPushType? = apns.choice("pushType")
        pushType = asked?.pushType ?? (contentAvailable && isQuiet ? .background : .alert)
        setPriority(reader)
        expiration = Self.expiration(apns, now: now)
        topic = apns.text("topic", 1...256, "the app's bundle id")
        addCustom(apns)
    }

    private mutating func add(_ name: String, _ content: JSONValue.Content?) {
        if let content { aps.append(.named(name, content)) }
    }

    private mutating func addDetails(_ apns: ObjectReader) {
        add("category", apns.characters("category", 128))
        if apns.flag("mutableContent") ?? false { add("mutable-content", .integer(1)) }
        add("thread-id", apns.characters("threadId", 256))
        let level: APS.InterruptionLevel? = apns.choice("interruptionLevel")
        add("interruption-level", level.map { .string($0.rawValue) })
        add("target-content-id", apns.characters("targetContentId", 256))
        add("relevance-score", apns.fraction("relevanceScore"))
        add("url-args", apns.strings("urlArguments", countMax: 16, characterCountMax: 256))
        if apns.flag("showActionButton") != nil { warnings.append(.noActionButton) }
    }

    private mutating func setPriority(_ reader: ObjectReader) {
        let asked: SAPPriority? = reader.choice("priority")
        priority = asked.map { $0 == .high ? .immediate : .powerAware }
        guard pushType == .background else { return }
        if priority == .immediate { warnings.append(.silentPriority) }
        priority = .powerAware
        warnings.append(.silentRate)
    }

    private static func sound(_ reader: ObjectReader, _ apns: ObjectReader) -> JSONValue.Content? {
        let plain = reader.characters("sound", 256)
        guard let custom = apns.object("customSound", names: ["sound", "volume", "critical"]) else { return plain }
        if let value = reader.object["sound"] {
            reader.wrong("sound", value, "'sound' or 'apns.customSound', not both")
        }
        let name = custom.characters("sound", 256, isRequired: true)
        let volume = custom.fraction("volume") ?? .fraction("1.0")
        let critical = custom.flag("critical") ?? false
        guard let name else { return nil }
        return .object([
            .named("critical", .integer(critical ? 1 : 0)), .named("name", name), .named("volume", volume),
        ])
    }

    private static func expiration(_ apns: ObjectReader, now: Int64) -> Expiration? {
        let expected = "a future date and time, such as \"2031-05-04T12:00:00.000+02:00\""
        let text = apns.text("expiry", 20...40, expected) { text in
            ISODateTime.unixSeconds(text).map { $0 > now } ?? false
        }
        return text.flatMap { ISODateTime.unixSeconds($0) }.map { Expiration(unixSeconds: UInt64(clamping: $0)) }
    }

    /// Adds members of JSON in a string beside `aps`; replaces none.
    private mutating func addCustom(_ apns: ObjectReader) {
        for name in ["customParameter", "customPriorities"] {
            let expected = "a JSON object, written as a string"
            guard let text = apns.text(name, 2...PushPayload.byteCountMax, expected) else { continue }
            let limits = JSONParser.Limits(
                byteCountMax: PushPayload.byteCountMax,
                depthMax: RequestBody.depthMax,
                allowsFractions: true
            )
            guard let members = (try? JSONParser.parse(Array(text.utf8), limits: limits))?.members else {
                if let value = apns.object[name] { apns.wrong(name, value, expected) }
                continue
            }
            for member in members {
                let isTaken = custom.contains { $0.name.utf8.elementsEqual(member.name.utf8) }
                guard !isTaken, member.name != "aps", !member.name.isEmpty else {
                    if !warnings.contains(.customTaken) { warnings.append(.customTaken) }
                    continue
                }
                custom.append(member)
            }
        }
    }
}

enum SAPNames {
    static let top = shared + ["data", "priority", "apns"]
    /// Properties in `"apns"` or beside it.
    private static let shared = ["alert", "badge", "sound"]
    /// Objects for other systems' providers.
    private static let siblings = ["baidu", "fcm", "gcm", "hms", "w3c", "wns"]
    private static let either = [
        "launchImageFileName", "showActionButton", "actionButtonLabel", "localizedActionButtonKey", "urlArguments",
        "threadId",
    ]
    static let apns =
        either + [
            "expiry", "category", "contentAvailable", "mutableContent", "pushType", "topic", "customSound",
            "localizedAlertKey", "localizedAlertArguments", "localizedAlertTitleKey", "localizedAlertTitleArguments",
            "localizedAlertSubtitleKey", "localizedAlertSubtitleArguments", "alertTitle", "alertSubtitle", "alertBody",
            "interruptionLevel", "targetContentId", "relevanceScore", "customParameter", "customPriorities",
        ]

    /// Gives each property one place: shared ones beside `"apns"`, others in it. Repetitions are faults; siblings are
    /// passed over.
    static func nested(_ value: JSONValue, at path: FieldPath, _ faults: FieldErrors) -> JSONValue? {
        guard let members = value.members else {
            faults.add(.wrong, path, at: value.offset, "expected an object in braces")
            return nil
        }
        var outer: [JSONMember] = []
        var inner: [JSONMember] = []
        var offset = value.offset
        func addNested(_ member: JSONMember) {
            if shared.contains(member.name) { outer.append(member) } else { inner.append(member) }
        }
        for member in members {
            if member.name == "apns", let nested = member.value.members {
                offset = member.value.offset
                for member in nested { addNested(member) }
            } else if member.name.hasPrefix("apns.") {
                let name = String(member.name.dropFirst("apns.".count))
                addNested(JSONMember(name: name, offset: member.offset, value: member.value))
            } else if siblings.contains(member.name), member.value.members != nil {
                continue
            } else if either.contains(member.name) {
                inner.append(member)
            } else {
                outer.append(member)
            }
        }
        let names = (inner + outer).map { Array($0.name.utf8) }
        if Set(names).count < names.count {
            faults.add(.wrong, path, at: offset, "a property is given twice, under 'apns' and beside it; keep one")
        }
        if !inner.isEmpty, !outer.contains(where: { $0.name == "apns" }) {
            outer.append(
                JSONMember(name: "apns", offset: offset, value: JSONValue(content: .object(inner), offset: offset))
            )
        }
        return JSONValue(content: .object(outer), offset: value.offset)
    }
}
