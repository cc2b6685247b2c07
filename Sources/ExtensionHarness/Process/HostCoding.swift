internal import UserNotifications

/// Messages between device and host are lines of JSON.
enum HostCoding {
    /// An extension has 24 MB for everything; a notification's text and user info are a small part of that.
    static let lineByteCountMax = 1 << 20

    // What JSON has no number for. An extension may set any.
    private static let infinity = "+"
    private static let negativeInfinity = "-"
    private static let notANumber = "?"

    /// - Returns: nil for what JSON cannot hold.
    static func line(_ message: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity,
            negativeInfinity: negativeInfinity,
            nan: notANumber
        )
        // Why it cannot be written is of no use: nobody is there to change the message.
        guard let data = try? encoder.encode(message) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// - Returns: nil for anything that is no such message.
    static func message<Message: Decodable>(_ type: Message.Type, line: some Sequence<UInt8>) -> Message? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity,
            negativeInfinity: negativeInfinity,
            nan: notANumber
        )
        // Why it is none is of no use: the sender is not the one to be told.
        return try? decoder.decode(type, from: Data(line))
    }
}

/// Cuts what comes from a descriptor into lines, however it comes.
struct LineBuffer {
    private var bytes: [UInt8] = []
    /// Whether a line was longer than a message can be: nothing after it is read.
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
