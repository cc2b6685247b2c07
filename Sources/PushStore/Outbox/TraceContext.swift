internal import Envelope

/// Caller's place in a distributed trace: the field `traceparent`.
///
/// - Source: W3C, "Trace Context", sections 3.2 and 4.
package struct TraceContext: Hashable, Sendable {
    package static let fieldName = "traceparent"

    private static let textByteCount = 55
    /// Sampled, and random trace id. Others are reserved.
    private static let knownFlags: UInt64 = 3

    /// Trace's id: not both 0.
    private let high: UInt64
    private let low: UInt64
    /// Caller's span: not 0.
    private let parent: UInt64
    private let flags: UInt64

    private init?(high: UInt64, low: UInt64, parent: UInt64, flags: UInt64) {
        guard high | low != 0, parent != 0 else { return nil }
        (self.high, self.low, self.parent, self.flags) = (high, low, parent, flags & Self.knownFlags)
    }

    /// Drops fields of later versions.
    ///
    /// - Returns: nil for an invalid text, which counts as none.
    package init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(Self.textByteCount + 1))
        let dash = UInt8(ascii: "-")
        guard bytes.count >= Self.textByteCount, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.textByteCount || (version > 0 && bytes[Self.textByteCount] == dash),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let parent = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(high: high, low: low, parent: parent, flags: flags)
    }

    /// - Returns: nil for other than digits and small letters.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    package var isSampled: Bool { flags & 1 == 1 }

    /// 16 bytes.
    package var traceID: [UInt8] {
        var bytes: [UInt8] = []
        for word in [high, low] { bytes.append(word: word) }
        return bytes
    }

    /// 8 bytes.
    package var parentID: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: parent)
        return bytes
    }

    /// Version 00.
    package var text: String {
        var text = Array("00-".utf8)
        Self.append(high, digitCount: 16, to: &text)
        Self.append(low, digitCount: 16, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(parent, digitCount: 16, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(flags, digitCount: 2, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ number: UInt64, digitCount: Int, to text: inout [UInt8]) {
        for place in (0..<digitCount).reversed() {
            let digit = UInt8(truncatingIfNeeded: number >> (4 * place) & 0xF)
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends 25 bytes: ids and flags.
    func append(to bytes: inout [UInt8]) {
        for word in [high, low, parent] { bytes.append(word: word) }
        bytes.append(UInt8(truncatingIfNeeded: flags))
    }

    init?(_ reader: inout ByteReader) {
        guard let high = reader.take(UInt64.self), let low = reader.take(UInt64.self),
            let parent = reader.take(UInt64.self), let flags = reader.take(UInt8.self)
        else { return nil }
        self.init(high: high, low: low, parent: parent, flags: UInt64(flags))
    }
}
