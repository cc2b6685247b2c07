import APNS

/// Fault for a valid push: those that a well-ordered connection can carry out, and two of delivery.
package enum InjectedFault: Sendable, Equatable {
    /// Must be in `names`; others need frames that no library writes.
    case request(RequestFault)
    /// Answered 200, never delivered.
    case dropped
    /// Answered 200, delivered twice.
    case duplicated

    /// Name on command line, in control API and recordings.
    package var name: String {
        switch self {
        case .dropped: "dropped"
        case .duplicated: "duplicated"
        case .request(let fault): fault.injectedName
        }
    }

    /// In the documentation's order.
    package static let names = [
        "rejected", "slow", "silence", "reset", "go-away", "connection-reset", "cut", "close", "deaf", "dropped",
        "duplicated",
    ]
}

extension RequestFault {
    fileprivate var injectedName: String {
        switch self {
        case .rejected: "rejected"
        case .slow: "slow"
        case .silence: "silence"
        case .reset: "reset"
        case .connection(.goAway, _): "go-away"
        case .connection(.reset, _): "connection-reset"
        case .connection(.cut, _): "cut"
        case .connection(.close, _): "close"
        case .connection(.deaf, _): "deaf"
        default: preconditionFailure("not a fault that can be injected")
        }
    }
}

extension InjectedFault {
    /// Parameters in writing order.
    package var fields: [(name: String, text: String)] {
        guard case .request(let fault) = self else { return [] }
        switch fault {
        case .rejected(let reason): return [("reason", reason.rawValue)]
        case .slow(let delay): return [("milliseconds", Self.text(delay))]
        case .silence(let isProcessed): return [("processed", Self.text(isProcessed))]
        case .reset(let code, let isProcessed): return [("code", "\(code)"), ("processed", Self.text(isProcessed))]
        case .connection(.goAway(let goAway), let isProcessed):
            var fields = [("code", "\(goAway.code)"), ("last-stream", goAway.cut.rawValue)]
            if case .reason(let reason) = goAway.debugData { fields.append(("reason", reason.rawValue)) }
            return fields + [("processed", Self.text(isProcessed))]
        case .connection(.deaf(let duration), let isProcessed):
            return [("milliseconds", Self.text(duration)), ("processed", Self.text(isProcessed))]
        case .connection(_, let isProcessed): return [("processed", Self.text(isProcessed))]
        default: return []
        }
    }

    static func fieldNames(of name: String) -> [String]? {
        switch name {
        case "rejected": ["reason"]
        case "slow": ["milliseconds"]
        case "silence", "connection-reset", "cut", "close": ["processed"]
        case "reset": ["code", "processed"]
        case "go-away": ["code", "last-stream", "reason", "processed"]
        case "deaf": ["milliseconds", "processed"]
        case "dropped", "duplicated": []
        default: nil
        }
    }

    init(name: String, fields: [String: String]) throws(InjectionRuleError) {
        let reader = InjectionFields(fields)
        switch name {
        case "rejected":
            guard let reason = try reader.reason() else { throw .missing("reason", of: name) }
            self = .request(.rejected(reason))
        case "slow": self = .request(.slow(try reader.duration(name)))
        case "silence": self = .request(.silence(isProcessed: try reader.isProcessed()))
        case "reset":
            // INTERNAL_ERROR leaves open whether the push was processed.
            self = .request(.reset(code: try reader.code() ?? 2, isProcessed: try reader.isProcessed()))
        case "go-away":
            self = .request(.connection(.goAway(try reader.goAway()), isProcessed: try reader.isProcessed()))
        case "connection-reset": self = .request(.connection(.reset, isProcessed: try reader.isProcessed()))
        case "cut": self = .request(.connection(.cut, isProcessed: try reader.isProcessed()))
        case "close": self = .request(.connection(.close, isProcessed: try reader.isProcessed()))
        case "deaf":
            let duration = try reader.duration(name)
            self = .request(.connection(.deaf(for: duration), isProcessed: try reader.isProcessed(otherwise: true)))
        case "dropped": self = .dropped
        case "duplicated": self = .duplicated
        default: throw .badValue("fault", expected: Self.names.joined(separator: ", "))
        }
    }

    private static func text(_ duration: Duration) -> String { "\(Int64(duration / .milliseconds(1)))" }

    private static func text(_ flag: Bool) -> String { flag ? "yes" : "no" }
}
