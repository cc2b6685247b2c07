internal import UserNotifications

/// Encodes messages between device and host as lines of JSON.
enum HostCoding {
    /// Small beside an extension's 24 MB; a notification's text and user info are smaller.
    static let lineByteCountMax = 1 << 20

    // Values without a JSON number; an extension may set them.
    private static let infinity = "+"
    private static let negativeInfinity = "-"
    private static let notANumber = "?"

    /// - Returns: Nil for a message that JSON cannot hold.
    static func line(_ message: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity,
            negativeInfinity: negativeInfinity,
            nan: notANumber
        )
        // No caller could change the message.
        guard let data = try? encoder.encode(message) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// - Returns: Nil for any other line.
    static func message<Message: Decodable>(_ type: Message.Type, line: some Sequence<UInt8>) -> Message? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity,
            negativeInfinity: negativeInfinity,
            nan: notANumber
        )
        return try? decoder.decode(type, from: Data(line))
    }
}

/// Splits a byte stream into lines.
struct LineBuffer {
    private var bytes: [UInt8] = []
    /// True after a line longer than any message; nothing after it is read.
    private(set) var isOverflown = false

    mutating func append(_ more: some Collection<UInt8>) {
        guard !isOverflown else { return }
        bytes += more
    }

    mutating func next() -> [UInt8]? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            if bytes.count > HostCoding.lineByteCountMax {
                isOverflown = true
                bytes = []
            }
            return nil
        }
        defer { bytes.removeSubrange(...end) }
        return Array(bytes[..<end])
    }
}
