import Envelope

/// Finds what stands twice and may stand once. The second one is the fault, and says where the first is: in a file of a
/// thousand tenants nobody finds a pair that is not named.
struct Doubles {
    private let advice: String
    private var firsts: [String: FieldPath] = [:]

    /// - Parameter advice: what to do, a sentence without its full stop.
    init(_ advice: String) { self.advice = advice }

    /// - Parameters:
    ///   - texts: what must not be there again, all of them together. Where one is none its reader has said so.
    ///   - value: what is named when they are.
    ///   - path: where that stands.
    ///   - faults: take the second and every further one.
    mutating func note(_ texts: [String?], of value: JSONValue, at path: FieldPath, _ faults: FieldFaults) {
        let known = texts.compactMap(\.self)
        guard known.count == texts.count else { return }
        // No text that is good has a line feed.
        let key = known.joined(separator: "\n")
        guard let first = firsts[key] else {
            firsts[key] = path
            return
        }
        faults.add(.wrong, path, at: value.offset, "the same as \(first.pointer); \(advice)")
    }

    /// One member's text, which is what is named, too.
    mutating func note(_ name: String, of element: (value: JSONValue, path: FieldPath), _ faults: FieldFaults) {
        guard let value = element.value[name] else { return }
        note([value.string], of: value, at: .member(element.path, name), faults)
    }
}
