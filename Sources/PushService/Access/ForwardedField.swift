import Transport

/// Parser of the client addresses that proxies report. Bounded; malformed input yields no address.
package enum ForwardedField: String, CaseIterable, Sendable {
    /// RFC 7239.
    case forwarded
    /// The de facto form: addresses between commas, the nearest last.
    case xForwardedFor = "x-forwarded-for"

    /// Hops that are read; further ones are ignored.
    static let hopCountMax = 8

    /// Reads the address that each hop reports, the nearest first.
    ///
    /// - Returns: nil for a hop without an address, which is the last one read. Empty without such a field.
    func hops(_ fields: HeaderBlock) -> [IPAddress?] {
        var hops: [IPAddress?] = []
        for index in (0..<fields.count).reversed() where fields.isNamed(name, at: index) {
            for hop in line(fields.value(of: index)).reversed() {
                hops.append(hop)
                guard hop != nil, hops.count < Self.hopCountMax else { return hops }
            }
        }
        return hops
    }

    private var name: StaticString {
        switch self {
        case .forwarded: "forwarded"
        case .xForwardedFor: "x-forwarded-for"
        }
    }

    /// The last elements of one line, in its order.
    private func line(_ value: ArraySlice<UInt8>) -> [IPAddress?] {
        switch self {
        case .forwarded:
            var reader = ForwardedReader(value)
            return reader.elements(countMax: Self.hopCountMax) ?? [nil]
        case .xForwardedFor:
            let parts = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            return parts.suffix(Self.hopCountMax).map { part in
                IPAddress(String(decoding: part, as: UTF8.self).filter { $0 != " " && $0 != "\t" })
            }
        }
    }
}

/// Strict parser of one line of `Forwarded`.
///
/// - Source: RFC 7239 section 4 for the line, section 6 for its nodes; RFC 9110 section 5.6 for tokens and quoted
///   strings.
private struct ForwardedReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// - Parameter countMax: elements kept, from the end.
    /// - Returns: the address in each element's `for`; nil for a malformed line.
    mutating func elements(countMax: Int) -> [IPAddress?]? {
        var elements: [IPAddress?] = []
        repeat {
            skipBlanks()
            guard let element = element() else { return nil }
            if elements.count == countMax { elements.removeFirst() }
            elements.append(element)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        return index == bytes.endIndex ? elements : nil
    }

    /// Reads pairs between semicolons; each may be missing.
    ///
    /// - Returns: nil if malformed; nil inside unless there is exactly one `for`, with an address.
    private mutating func element() -> IPAddress?? {
        var nodes: [IPAddress?] = []
        repeat {
            let name = token()
            guard !name.isEmpty else { continue }
            guard take(UInt8(ascii: "=")), let value = value() else { return nil }
            if name.elementsEqual("for".utf8, by: { HTTP1Syntax.lowercased($0) == $1 }) {
                nodes.append(Self.node(value))
            }
        } while take(UInt8(ascii: ";"))
        return nodes.count == 1 ? .some(nodes[0]) : .some(nil)
    }

    private mutating func token() -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.endIndex, HTTP1Syntax.isTokenCharacter(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    /// A token or a quoted string, without its quotes.
    private mutating func value() -> [UInt8]? {
        guard take(UInt8(ascii: "\"")) else {
            let token = token()
            return token.isEmpty ? nil : Array(token)
        }
        var value: [UInt8] = []
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return value }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard index < bytes.endIndex else { return nil }
            value.append(bytes[index])
            index += 1
        }
        return nil
    }

    /// `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`; nil for `unknown`, `_hidden` and all
    /// else.
    private static func node(_ value: [UInt8]) -> IPAddress? {
        let isLiteral = value.first == UInt8(ascii: "[")
        let separator = isLiteral ? UInt8(ascii: "]") : UInt8(ascii: ":")
        let end = value.firstIndex(of: separator) ?? value.endIndex
        var port = value[end...]
        if isLiteral {
            guard !port.isEmpty else { return nil }
            port = port.dropFirst()
        }
        guard port.isEmpty || port.first == UInt8(ascii: ":") else { return nil }
        let digits = port.dropFirst()
        guard port.isEmpty || (1...5).contains(digits.count) && digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        guard let address = IPAddress(String(decoding: value[(isLiteral ? 1 : 0)..<end], as: UTF8.self)) else {
            return nil
        }
        return address.isIPv4 == isLiteral ? nil : address
    }

    private mutating func skipBlanks() {
        while index < bytes.endIndex, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }
}
