package import Envelope

/// Reads members of an object and collects faults. Absent and wrong members are `nil`; the caller checks `faults` at
/// the end.
package struct ObjectReader {
    package let object: JSONValue
    package let path: FieldPath
    package let faults: FieldErrors

    /// - Parameter names: all allowed; others are faults, with the nearest name.
    package init?(_ value: JSONValue, at path: FieldPath, names: [String], faults: FieldErrors) {
        guard let members = value.members else {
            faults.add(.wrong, path, at: value.offset, "expected an object in braces")
            return nil
        }
        object = value
        self.path = path
        self.faults = faults
        for index in members.indices where !Self.isKnown(members[index].name, names) { unknown(members[index], names) }
    }

    private static func isKnown(_ name: String, _ names: [String]) -> Bool {
        let byteCount = name.utf8.count
        // The count first rules out most names.
        for index in names.indices where names[index].utf8.count == byteCount && names[index] == name { return true }
        return false
    }

    private func unknown(_ member: JSONMember, _ names: [String]) {
        let shown = NearestName.presentable(member.name)
        let place = shown.map { FieldPath.member(path, $0) } ?? path
        let subject = shown.map { "unknown field '\($0)'" } ?? "a field with an unknown name"
        faults.add(.unknown, place, at: member.offset, "\(subject); \(Self.hint(member.name, names))")
    }

    private static func hint(_ name: String, _ names: [String]) -> String {
        NearestName.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
            ?? "known are \(names.joined(separator: ", "))"
    }

    package func place(_ name: String) -> FieldPath { .member(path, name) }

    package func value(
        _ name: String,
        _ expected: @autoclosure () -> String,
        isRequired: Bool = false
    ) -> JSONValue? {
        if let value = object[name] { return value }
        if isRequired { faults.add(.missing, place(name), at: object.offset, "missing; write \(expected())") }
        return nil
    }

    package func wrong(_ name: String, _ value: JSONValue, _ expected: String) {
        faults.add(.wrong, place(name), at: value.offset, "expected \(expected)")
    }

    package func text(
        _ name: String,
        _ byteCounts: ClosedRange<Int>,
        _ expected: @autoclosure () -> String,
        isRequired: Bool = false,
        isValid: (String) -> Bool = { _ in true }
    ) -> String? {
        guard let value = value(name, expected(), isRequired: isRequired) else { return nil }
        guard let text = value.string, byteCounts.contains(text.utf8.count), isValid(text) else {
            wrong(name, value, expected())
            return nil
        }
        return text
    }

    package func flag(_ name: String) -> Bool? {
        guard let value = object[name] else { return nil }
        guard case .bool(let flag) = value.content else {
            wrong(name, value, "true or false")
            return nil
        }
        return flag
    }

    package func integer(_ name: String, in range: ClosedRange<Int64>, isRequired: Bool = false) -> Int64? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let value = value(name, expected, isRequired: isRequired) else { return nil }
        guard case .integer(let number) = value.content, range.contains(number) else {
            wrong(name, value, expected)
            return nil
        }
        return number
    }

    package func choice<Word: RawRepresentable & CaseIterable>(_ name: String, isRequired: Bool = false) -> Word?
    where Word.RawValue == String {
        func expected() -> String { "one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") }
        guard let value = value(name, expected(), isRequired: isRequired) else { return nil }
        guard let text = value.string, let word = Word(rawValue: text) else {
            wrong(name, value, expected())
            return nil
        }
        return word
    }

    package func elements(
        _ name: String,
        _ counts: ClosedRange<Int>,
        of expected: String,
        isRequired: Bool = false
    ) -> [(value: JSONValue, path: FieldPath)]? {
        func sentence() -> String { "an array of \(counts.lowerBound) to \(counts.upperBound) \(expected)" }
        guard let value = value(name, sentence(), isRequired: isRequired) else { return nil }
        guard let elements = value.elements, counts.contains(elements.count) else {
            wrong(name, value, sentence())
            return nil
        }
        return elements.enumerated().map { ($0.element, .element(place(name), $0.offset)) }
    }

    package func object(_ name: String, names: [String], isRequired: Bool = false) -> ObjectReader? {
        guard let value = value(name, "an object in braces", isRequired: isRequired) else { return nil }
        return ObjectReader(value, at: place(name), names: names, faults: faults)
    }

    /// Absolute path: the working directory does not matter.
    package func file(_ name: String, isRequired: Bool = false) -> String? {
        text(name, 2...4_096, "the absolute path of a file", isRequired: isRequired) {
            $0.utf8.first == UInt8(ascii: "/") && !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        }
    }
}
