import APNS

struct InjectionFields {
    private let fields: [String: String]

    init(_ fields: [String: String]) { self.fields = fields }

    /// An hour: longer than any client waits.
    static let millisecondsMax = 3_600_000

    func number(_ name: String, in range: ClosedRange<Int>) throws(InjectionRuleError) -> Int? {
        guard let text = fields[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badValue(name, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func code() throws(InjectionRuleError) -> UInt32? {
        try number("code", in: 0...Int(UInt32.max)).map { UInt32($0) }
    }

    func duration(_ fault: String) throws(InjectionRuleError) -> Duration {
        guard let milliseconds = try number("milliseconds", in: 0...Self.millisecondsMax) else {
            throw .missing("milliseconds", of: fault)
        }
        return .milliseconds(milliseconds)
    }

    func isProcessed(otherwise standard: Bool = false) throws(InjectionRuleError) -> Bool {
        guard let text = fields["processed"] else { return standard }
        guard text == "yes" || text == "no" else { throw .badValue("processed", expected: "yes or no") }
        return text == "yes"
    }

    func reason() throws(InjectionRuleError) -> Reason? {
        guard let text = fields["reason"] else { return nil }
        guard let reason = Reason(rawValue: text) else {
            throw .badValue("reason", expected: "one of Apple's, such as TooManyRequests or InternalServerError")
        }
        return reason
    }

    func goAway() throws(InjectionRuleError) -> FaultGoAway {
        var goAway = FaultGoAway(code: try code() ?? 0)
        if let text = fields["last-stream"] {
            guard let cut = FaultGoAway.Cut(rawValue: text) else {
                let all = FaultGoAway.Cut.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badValue("last-stream", expected: all)
            }
            goAway.cut = cut
        }
        if let reason = try reason() { goAway.debugData = .reason(reason) }
        return goAway
    }

    func topic() throws(InjectionRuleError) -> Topic? {
        guard let text = fields["topic"] else { return nil }
        do throws(APNSError) { return try Topic(text) } catch {
            throw .badValue("topic", expected: "a bundle id, followed by a suffix for some push types")
        }
    }
}
