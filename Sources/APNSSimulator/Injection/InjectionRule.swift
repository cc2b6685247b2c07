package import APNS

package struct InjectionRule: Sendable, Equatable {
    package var fault: InjectedFault
    /// Our device number; nil: all.
    package var device: Int?
    /// Full `apns-topic`, with its suffix; nil: all.
    package var topic: Topic?
    /// Of matching pushes, 1 to 100.
    package var percent = 100
    /// Matching pushes to spare first.
    package var after = 0
    /// Maximum number of faults; nil: no limit.
    package var count: Int?

    package init(_ fault: InjectedFault) { self.fault = fault }

    func matches(device: Int, topic: Topic) -> Bool {
        (self.device.map { $0 == device } ?? true) && (self.topic.map { $0 == topic } ?? true)
    }
}

package enum InjectionRuleError: Error, Equatable, Sendable {
    case missing(String, of: String)
    case unknownField(String, of: String, allowed: [String])
    case givenTwice(String)
    case badValue(String, expected: String)
}

extension InjectionRuleError: CustomStringConvertible {
    /// Sentence without its full stop.
    package var description: String {
        switch self {
        case .missing(let name, let fault): "the fault '\(fault)' needs '\(name)'"
        case .unknownField(let name, let fault, let allowed):
            "'\(name)' is unknown to the fault '\(fault)'; it takes \(allowed.joined(separator: ", "))"
        case .givenTwice(let name): "'\(name)' is given twice"
        case .badValue(let name, let expected): "'\(name)' is \(expected)"
        }
    }
}

extension InjectionRule {
    private static let matchNames = ["device", "topic", "percent", "after", "count"]
    private static let countMax = 1_000_000_000

    /// - Parameter fields: with `fault`; each name once, in any order.
    /// - Throws: what is missing, unknown or wrong.
    package init(fields: [(name: String, text: String)]) throws(InjectionRuleError) {
        var texts: [String: String] = [:]
        for field in fields {
            guard texts.updateValue(field.text, forKey: field.name) == nil else { throw .givenTwice(field.name) }
        }
        guard let name = texts["fault"], let own = InjectedFault.fieldNames(of: name) else {
            throw .badValue("fault", expected: "one of " + InjectedFault.names.joined(separator: ", "))
        }
        let allowed = own + Self.matchNames
        if let stranger = texts.keys.sorted().first(where: { $0 != "fault" && !allowed.contains($0) }) {
            throw .unknownField(stranger, of: name, allowed: allowed)
        }
        fault = try InjectedFault(name: name, fields: texts)
        let reader = InjectionFields(texts)
        device = try reader.number("device", in: 1...Self.countMax)
        topic = try reader.topic()
        percent = try reader.number("percent", in: 1...100) ?? 100
        after = try reader.number("after", in: 0...Self.countMax) ?? 0
        count = try reader.number("count", in: 1...Self.countMax)
    }

    /// Parses `slow,milliseconds=500,percent=10`. Values cannot contain commas.
    package init(text: String) throws(InjectionRuleError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var fields = [(name: "fault", text: String(parts[0]))]
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw .badValue(String(part), expected: "written name=value") }
            fields.append((name: String(sides[0]), text: String(sides[1])))
        }
        try self.init(fields: fields)
    }

    /// Inverse of `init(fields:)`.
    package var fields: [(name: String, text: String)] {
        var fields = [(name: "fault", text: fault.name)] + fault.fields
        if let device { fields.append(("device", "\(device)")) }
        if let topic { fields.append(("topic", "\(topic)")) }
        if percent != 100 { fields.append(("percent", "\(percent)")) }
        if after != 0 { fields.append(("after", "\(after)")) }
        if let count { fields.append(("count", "\(count)")) }
        return fields
    }
}
