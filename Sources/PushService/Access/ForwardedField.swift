import HTTP
import ServiceParts

/// Client addresses that proxies report, bounded; none if malformed.
package enum ForwardedField: String, CaseIterable, Sendable {
    /// RFC 7239.
    case forwarded
    /// Addresses between commas, the nearest last.
    case xForwardedFor = "x-forwarded-for"

    /// Bound on hops; further ones are ignored.
    static let hopCountMax = 8

    /// Address of each hop, the nearest first; a hop without one is nil and the last.
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

/// - Source: RFC 7239 sections 4 and 6; RFC 9110 section 5.6 for tokens and quoted strings.
private struct ForwardedReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// - Returns: last addresses in `for`; nil for a malformed line.
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

    /// `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`; else nil, as for `unknown` and
    /// `_hidden`.
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
