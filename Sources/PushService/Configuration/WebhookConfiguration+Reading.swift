import Envelope
import ServiceParts

extension WebhookConfiguration {
    static let deliveryNames = [
        "url", "secret-file", "old-secret-file", "allows-plain-http", "allowed-ranges", "authorities-file",
    ]
    static let names = deliveryNames + ["events-per-call"]

    init?(_ reader: ObjectReader) {
        let allowsPlain = reader.flag("allows-plain-http") ?? false
        let expected =
            allowsPlain
            ? "an absolute http or https URL without user, fragment or spaces"
            : "an absolute https URL without user, fragment or spaces"
        let url = reader.text("url", 9...2_048, expected, isRequired: true) {
            WebhookTarget($0, allowsPlainHTTP: allowsPlain) != nil
        }
        let secretFile = reader.file("secret-file", isRequired: true)
        let oldSecretFile = reader.file("old-secret-file")
        let authoritiesFile = reader.file("authorities-file")
        let ranges = reader.ranges("allowed-ranges") ?? []
        let eventsPerCall = reader.integer("events-per-call", in: 1...100) ?? 1
        guard let target = url.flatMap({ WebhookTarget($0, allowsPlainHTTP: allowsPlain) }), let secretFile else {
            return nil
        }
        if let problem = Self.deadEnd(target, ranges) {
            reader.faults.add(.wrong, reader.place("url"), at: reader.object["url"]?.offset ?? 0, problem)
            return nil
        }
        self.target = target
        self.secretFile = secretFile
        self.oldSecretFile = oldSecretFile
        self.authoritiesFile = authoritiesFile
        allowedRanges = ranges
        self.eventsPerCall = Int(eventsPerCall)
    }
}

extension WebhookConfiguration {
    /// Reason why no post could ever reach it, without DNS.
    ///
    /// - Source: RFC 6761 sections 6.3 and 6.4.
    private static func deadEnd(_ target: WebhookTarget, _ allowed: [IPRange]) -> String? {
        func isName(_ name: String) -> Bool { target.host == name || target.host.hasSuffix("." + name) }
        if isName("invalid") { return "no host has a name under .invalid; give the receiver's" }
        let hosts = isName("localhost") ? ["127.0.0.1", "::1"] : [target.host]
        let refusals = hosts.compactMap { IPAddress($0) }.map { AddressFilter.refusal(of: $0, allowing: allowed) }
        guard let refusal = refusals.first ?? nil, refusals.allSatisfy({ $0 != nil }) else { return nil }
        return "no webhook is sent to this address (\(refusal.rawValue)); give a public one, or name its range in"
            + " 'allowed-ranges'"
    }
}

extension SpanCollector {
    static let names = ["url", "authorities-file"]

    init?(_ reader: ObjectReader) {
        let expected = "an absolute http or https URL without user, fragment or spaces"
        let url = reader.text("url", 9...2_048, expected, isRequired: true) {
            WebhookTarget($0, allowsPlainHTTP: true) != nil
        }
        authoritiesFile = reader.file("authorities-file")
        guard let target = url.flatMap({ WebhookTarget($0, allowsPlainHTTP: true) }) else { return nil }
        self.target = target
    }
}

extension ProxyConfiguration {
    init(_ reader: ObjectReader) {
        ranges = reader.ranges("ranges", isRequired: true) ?? []
        field = reader.choice("field") ?? .forwarded
    }
}

extension ObjectReader {
    fileprivate func ranges(_ name: String, isRequired: Bool = false) -> [IPRange]? {
        let elements = elements(name, 1...64, of: "ranges such as \"10.1.0.0/16\"", isRequired: isRequired)
        return elements?.compactMap { element in
            if let range = element.value.string.flatMap({ IPRange($0) }) { return range }
            let problem = "expected a range such as \"10.1.0.0/16\", with zeros behind its bits"
            faults.add(.wrong, element.path, at: element.value.offset, problem)
            return nil
        }
    }
}

extension FallbackConfiguration {
    static let names = WebhookConfiguration.deliveryNames + ["kind", "after-seconds", "text"]

    init?(_ reader: ObjectReader) {
        let kind: Kind? = reader.choice("kind", isRequired: true)
        let delivery = WebhookConfiguration(reader)
        let after = reader.integer("after-seconds", in: 5...3_600) ?? 60
        let expected = "the app's constant text, 1 to 160 bytes without control characters"
        let text = reader.text("text", 1...160, expected, isRequired: true) { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard let kind, let delivery, let text else { return nil }
        self.kind = kind
        self.delivery = delivery
        afterSeconds = Int(after)
        self.text = text
    }
}
