internal import Envelope

/// Apple's address of one app on one device: opaque bytes, 32 on most devices today.
///
/// Apple forbids assuming a length (Live Activities' are far longer), so any up to `byteCountMax` is valid. A token can
/// be linked to a person, and with the team's key its holder can push: no description, mirror or error shows it.
///
/// - Source: "Sending notification requests to APNs", the `:path` header.
public struct DeviceToken: Hashable, Sendable {
    /// Our limit, far above known lengths (100 in the archived guides, 80 and more for Live Activities).
    public static let byteCountMax = 512

    /// 1 ... `byteCountMax` bytes.
    public let bytes: [UInt8]

    /// - Throws: `.deviceTokenEmpty`, `.deviceTokenTooLong`.
    public init(bytes: [UInt8]) throws(APNSError) {
        guard !bytes.isEmpty else { throw .deviceTokenEmpty }
        guard bytes.count <= Self.byteCountMax else {
            throw .deviceTokenTooLong(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        self.bytes = bytes
    }

    /// Reads a `/3/device/` path's hex text.
    ///
    /// - Parameter hex: ASCII digits in either case, two for each byte.
    /// - Throws: every `.deviceToken…` case.
    public init(hex: Span<UInt8>) throws(APNSError) {
        guard !hex.isEmpty else { throw .deviceTokenEmpty }
        guard hex.count <= 2 * Self.byteCountMax else {
            throw .deviceTokenTooLong(byteCount: (hex.count + 1) / 2, byteCountMax: Self.byteCountMax)
        }
        guard hex.count % 2 == 0 else { throw .deviceTokenOddLength(characterCount: hex.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hex.count / 2)
        for offset in stride(from: 0, to: hex.count, by: 2) {
            guard let high = Hex.value(of: hex[offset]) else { throw .deviceTokenNotHex(offset: offset) }
            guard let low = Hex.value(of: hex[offset + 1]) else { throw .deviceTokenNotHex(offset: offset + 1) }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// - Throws: every `.deviceToken…` case; a Unicode digit is `.deviceTokenNotHex`.
    public init(hex: String) throws(APNSError) {
        let utf8 = Array(hex.utf8)
        try self.init(hex: utf8.span)
    }

    /// Compares the bytes, eight at a time: `==` of arrays takes four times as long.
    public static func == (one: DeviceToken, other: DeviceToken) -> Bool {
        guard one.bytes.count == other.bytes.count else { return false }
        let (ones, others) = unsafe (one.bytes.span.bytes, other.bytes.span.bytes)
        var index = 0
        while index + 8 <= ones.byteCount {
            let word = unsafe ones.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let other = unsafe others.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word == other else { return false }
            index += 8
        }
        return (index..<ones.byteCount).allSatisfy { one.bytes[$0] == other.bytes[$0] }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }

    package func appendHex(to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: 2 * bytes.count))
        var digits = text.mutableSpan
        writeHex(to: &digits, at: start)
    }

    /// Overwrites two bytes for each byte of the token.
    package func writeHex(to text: inout MutableSpan<UInt8>, at start: Int) {
        var index = 0
        var digits = unsafe text.mutableBytes
        while index + 4 <= bytes.count {
            let word = unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self)
            let eight = Hex.digits(of: UInt32(bigEndian: word), letters: Hex.lowerCaseLetters)
            digits.storeBytes(of: eight.bigEndian, toByteOffset: start + 2 * index, as: UInt64.self)
            index += 4
        }
        for index in index..<bytes.count {
            text[start + 2 * index] = Hex.lowerCase(bytes[index] >> 4)
            text[start + 2 * index + 1] = Hex.lowerCase(bytes[index] & 0x0F)
        }
    }

    /// Lower-case hex, for a file or command line that the user asked for; never for a log.
    public var hex: String {
        var text: [UInt8] = []
        appendHex(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Length in bytes.
    public var description: String { "DeviceToken(\(bytes.count) bytes)" }
    /// Length in bytes.
    public var debugDescription: String { description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
