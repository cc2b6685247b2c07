import APNS
import Envelope
import ServiceParts

/// Visible text: `alert`, and properties of `aps.alert`.
struct SAPAlert {
    private(set) var isNotJSON = false
    private var text: String?
    private var members: [JSONMember] = []

    /// String, Apple's short form, if alone.
    var value: JSONValue.Content? {
        guard !members.isEmpty else { return text.map { .string($0) } }
        let body = text.map { [JSONMember.named("body", .string($0))] } ?? []
        return .object(members + body)
    }

    private static let renamed = ["alert_title": "title", "alert_sub-title": "subtitle", "alert_body": "body"]

    init(_ reader: ObjectReader, _ apns: ObjectReader) {
        readAlert(reader)
        for (property, name, count) in [
            ("alertTitle", "title", 256), ("alertSubtitle", "subtitle", 256), ("alertBody", "body", 2_048),
        ] {
            add(name, apns.characters(property, count), property, apns)
        }
        for (property, name) in [
            ("localizedAlert", ""), ("localizedAlertTitle", "title-"), ("localizedAlertSubtitle", "subtitle-"),
        ] {
            let key = apns.characters(property + "Key", 128)
            let arguments = apns.strings(property + "Arguments", countMax: 16, characterCountMax: 256)
            add(name + "loc-key", key, property + "Key", apns)
            if let value = apns.object[property + "Arguments"], apns.object[property + "Key"] == nil {
                apns.wrong(property + "Arguments", value, "arguments go only with '\(property)Key'")
            }
            add(name + "loc-args", arguments, property + "Arguments", apns)
        }
        add("launch-image", apns.characters("launchImageFileName", 256), "launchImageFileName", apns)
        add("action", apns.characters("actionButtonLabel", 256), "actionButtonLabel", apns)
        add("action-loc-key", apns.characters("localizedActionButtonKey", 128), "localizedActionButtonKey", apns)
    }

    private mutating func readAlert(_ reader: ObjectReader) {
        let orObject = ", or a JSON object written as one"
        guard case .string(let alert)? = reader.characters("alert", 2_048, orObject) else { return }
        guard alert.utf8.first(where: { $0 != 0x20 }) == UInt8(ascii: "{") else {
            text = alert
            return
        }
        let limits = JSONParser.Limits(
            byteCountMax: PushPayload.byteCountMax,
            depthMax: RequestBody.depthMax,
            allowsFractions: true
        )
        // A text may begin with a brace; it is shown unchanged.
        guard let object = (try? JSONParser.parse(Array(alert.utf8), limits: limits))?.members else {
            isNotJSON = true
            text = alert
            return
        }
        for member in object {
            let name = Self.renamed[member.name] ?? member.name
            guard !members.contains(where: { $0.name == name }) else { continue }
            members.append(JSONMember(name: name, offset: member.offset, value: member.value))
        }
    }

    private mutating func add(
        _ name: String,
        _ content: JSONValue.Content?,
        _ property: String,
        _ apns: ObjectReader
    ) {
        guard let content else { return }
        let isTaken = members.contains { $0.name == name } || (name == "body" && text != nil)
        if isTaken, let value = apns.object[property] {
            apns.wrong(property, value, "'alert' or '\(property)', not both")
            return
        }
        members.append(.named(name, content))
    }
}

extension JSONMember {
    static func named(_ name: String, _ content: JSONValue.Content) -> JSONMember {
        JSONMember(name: name, offset: 0, value: JSONValue(content: content, offset: 0))
    }
}

extension JSONValue {
    static func object(_ members: [JSONMember]) -> JSONValue { JSONValue(content: .object(members), offset: 0) }
}

/// Limits in UTF-16 code units, as SAP counts.
extension ObjectReader {
    func characters(
        _ name: String,
        _ countMax: Int,
        _ more: String = "",
        isRequired: Bool = false
    ) -> JSONValue.Content? {
        text(name, 1...4 * countMax, "a string of 1 to \(countMax) characters\(more)", isRequired: isRequired) {
            $0.utf16.count <= countMax
        }
        .map { .string($0) }
    }

    func strings(_ name: String, countMax: Int, characterCountMax: Int) -> JSONValue.Content? {
        guard let elements = elements(name, 1...countMax, of: "strings") else { return nil }
        for element in elements {
            guard let text = element.value.string, text.utf16.count <= characterCountMax else {
                let problem = "expected a string of \(characterCountMax) characters at most"
                faults.add(.wrong, element.path, at: element.value.offset, problem)
                return nil
            }
        }
        return .array(elements.map(\.value))
    }

    func fraction(_ name: String) -> JSONValue.Content? {
        guard let value = object[name] else { return nil }
        switch value.content {
        case .integer(let number) where number == 0 || number == 1: return value.content
        case .fraction(let text):
            if text.utf8.count <= 16, let number = Double(text), (0...1).contains(number) { return value.content }
        default: break
        }
        wrong(name, value, "a number from 0 to 1")
        return nil
    }
}
