import Envelope
import ServiceParts

/// Finds repeated values. The fault is the second's, and names the first, hard to find among many.
struct Doubles {
    private let advice: String
    private var firsts: [String: FieldPath] = [:]

    /// - Parameter advice: sentence without its full stop.
    init(_ advice: String) { self.advice = advice }

    /// Records texts that must be unique together.
    mutating func note(_ texts: [String?], of value: JSONValue, at path: FieldPath, _ faults: FieldErrors) {
        let known = texts.compactMap(\.self)
        guard known.count == texts.count else { return }
        let key = known.joined(separator: "\n")
        guard let first = firsts[key] else {
            firsts[key] = path
            return
        }
        faults.add(.wrong, path, at: value.offset, "the same as \(first.pointer); \(advice)")
    }

    mutating func note(_ name: String, of element: (value: JSONValue, path: FieldPath), _ faults: FieldErrors) {
        guard let value = element.value[name] else { return }
        note([value.string], of: value, at: .member(element.path, name), faults)
    }
}
