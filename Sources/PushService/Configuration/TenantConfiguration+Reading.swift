import APNS
import Envelope
import PushStore
import ServiceParts

extension TenantConfiguration {
    private static let names = [
        "id", "keys", "apps", "quota-per-day", "requests-per-second", "allows-clear-text", "webhook",
    ]
    static let keyCountMax = 64
    static let appCountMax = 256

    convenience init?(_ value: JSONValue, at path: FieldPath, _ faults: FieldErrors) {
        guard let reader = ObjectReader(value, at: path, names: Self.names, faults: faults) else { return nil }
        let id = reader.text("id", 1...64, "1 to 64 of a-z, 0-9 and hyphens", isRequired: true, isValid: Self.isID)
        let keys = Self.keys(reader)
        let apps = Self.apps(reader)
        let quota = reader.integer("quota-per-day", in: 1...10_000_000_000) ?? 1_000_000
        let rate = reader.integer("requests-per-second", in: 1...1_000_000) ?? 1_000
        let allowsClearText = reader.flag("allows-clear-text") ?? false
        let webhook = reader.object("webhook", names: WebhookConfiguration.names).flatMap { WebhookConfiguration($0) }
        guard let id = id.flatMap({ try? TenantID($0) }), let keys, let apps else { return nil }
        self.init(
            id: id,
            keys: keys,
            apps: apps,
            quotaPerDay: Int(quota),
            requestsPerSecond: Double(rate),
            allowsClearText: allowsClearText,
            webhook: webhook
        )
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    private static func keys(_ reader: ObjectReader) -> [Key]? {
        guard let elements = reader.elements("keys", 1...keyCountMax, of: "keys", isRequired: true) else { return nil }
        // Names alone identify keys in the audit log.
        var doubles = Doubles("give each key its own, by which the audit log tells them apart")
        for element in elements { doubles.note("name", of: element, reader.faults) }
        return elements.compactMap { element in
            let names = ["name", "hash", "scopes", "expires"]
            guard let object = ObjectReader(element.value, at: element.path, names: names, faults: reader.faults) else {
                return nil
            }
            let name = object.text("name", 1...64, "a name of a-z, 0-9 and hyphens", isRequired: true, isValid: isID)
            let expected =
                "the key's hash, 43 characters, as `sealedpushd make-api-key` prints it; never the key itself"
            let hash = object.text("hash", 43...43, expected, isRequired: true) { APIKeyHash(text: $0) != nil }
            let scopes = scopes(object)
            let time = "a time of UTC such as \"2027-01-01T00:00:00Z\""
            let end = object.text("expires", 20...20, time) {
                $0.hasSuffix("Z") && ISODateTime.unixSeconds($0) != nil
            }
            guard let name, let hash = hash.flatMap({ APIKeyHash(text: $0) }), let scopes else { return nil }
            return Key(name: name, hash: hash, scopes: scopes, end: end.flatMap { ISODateTime.unixSeconds($0) })
        }
    }

    private static func scopes(_ reader: ObjectReader) -> Scopes? {
        let words = Scope.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard let elements = reader.elements("scopes", 1...Scope.allCases.count, of: "of \(words)", isRequired: true)
        else { return nil }
        var scopes: [Scope] = []
        for element in elements {
            guard let scope = element.value.string.flatMap({ Scope(rawValue: $0) }), !scopes.contains(scope) else {
                reader.faults.add(
                    .wrong,
                    element.path,
                    at: element.value.offset,
                    "expected one of \(words), each once"
                )
                continue
            }
            scopes.append(scope)
        }
        return Scopes(scopes)
    }

    private static func apps(_ reader: ObjectReader) -> [AppConfiguration]? {
        guard let elements = reader.elements("apps", 1...appCountMax, of: "apps", isRequired: true) else { return nil }
        var doubles = Doubles("keep one of the two apps, or give them two environments")
        return elements.compactMap { element in
            if let id = element.value["bundle-id"] {
                let texts = [id.string, element.value["environment"]?.string]
                doubles.note(texts, of: id, at: .member(element.path, "bundle-id"), reader.faults)
            }
            return AppConfiguration(element.value, at: element.path, reader.faults)
        }
    }
}
