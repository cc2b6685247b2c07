/// Parameters of a field, such as `t=…, k=…` or `keyid=p256dh;salt=…`.
///
/// - Source: RFC 9110 sections 5.6.6 and 11.2.
struct HeaderParameters {
    private static let countMax = 16

    private var all: [(name: String, value: [UInt8])] = []

    /// - Returns: nil for a part without a value, a name that comes twice, or more than 16 parts.
    init?(_ text: some Sequence<UInt8>) {
        let parts = Array(text).split(omittingEmptySubsequences: false) { $0 == 0x2C || $0 == 0x3B }
        guard parts.count <= Self.countMax else { return nil }
        for part in parts {
            let part = Self.trimmed(part)
            // A list may have empty elements.
            guard !part.isEmpty else { continue }
            guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = String(decoding: Self.trimmed(part[..<sign]), as: UTF8.self).lowercased()
            // Several keys have an id each, which joins them to values of another field.
            guard !name.isEmpty, self[name] == nil || name == "keyid" else { return nil }
            all.append((name, Self.unquoted(Self.trimmed(part[(sign + 1)...]))))
        }
    }

    /// - Parameter name: in lower case.
    subscript(name: String) -> [UInt8]? { all.first { $0.name == name }?.value }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let mark = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == mark, text.last == mark else { return Array(text) }
        return Array(text.dropFirst().dropLast())
    }
}
