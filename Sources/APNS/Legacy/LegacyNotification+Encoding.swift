extension LegacyNotification {
    /// Appends the notification's bytes. One write may hold many notifications.
    ///
    /// - Throws: what `check(for:)` throws; nothing is appended then.
    public func append(to bytes: inout [UInt8], as command: LegacyCommand) throws(LegacyNotificationError) {
        try check(for: command)
        Self.append(deviceToken.bytes, payload, identifier, expiresAt, priority, to: &bytes, as: command)
    }

    /// Appends a notification without a token, which APNs must refuse: only its error packet proves that all before it
    /// was accepted.
    package static func appendProbe(_ identifier: UInt32, to bytes: inout [UInt8], as command: LegacyCommand) {
        precondition(command.isAnswered, "APNs does not answer this command")
        append([], Array("{}".utf8), identifier, 0, .immediate, to: &bytes, as: command)
    }

    private static func append(
        _ token: [UInt8],
        _ payload: [UInt8],
        _ identifier: UInt32,
        _ expiresAt: UInt32,
        _ priority: Priority,
        to bytes: inout [UInt8],
        as command: LegacyCommand
    ) {
        bytes.append(command.rawValue)
        switch command {
        case .simple, .enhanced:
            if command == .enhanced {
                bytes.appendBigEndian(identifier)
                bytes.appendBigEndian(expiresAt)
            }
            bytes.appendBigEndian(UInt16(token.count))
            bytes += token
            bytes.appendBigEndian(UInt16(payload.count))
            bytes += payload
        case .frame:
            let headerByteCount = 3
            bytes.appendBigEndian(UInt32(5 * headerByteCount + token.count + payload.count + 4 + 4 + 1))
            bytes.appendItem(.deviceToken, byteCount: token.count)
            bytes += token
            bytes.appendItem(.payload, byteCount: payload.count)
            bytes += payload
            bytes.appendItem(.identifier, byteCount: 4)
            bytes.appendBigEndian(identifier)
            bytes.appendItem(.expiration, byteCount: 4)
            bytes.appendBigEndian(expiresAt)
            bytes.appendItem(.priority, byteCount: 1)
            bytes.append(priority.rawValue)
        }
    }
}

/// Item numbers in a frame.
enum LegacyItem: UInt8 {
    case deviceToken = 1
    case payload = 2
    case identifier = 3
    case expiration = 4
    case priority = 5
}

extension [UInt8] {
    mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func appendItem(_ item: LegacyItem, byteCount: Int) {
        append(item.rawValue)
        appendBigEndian(UInt16(byteCount))
    }
}
