/// Reason for which APNs closes a connection of the binary interface.
///
/// Not an enumeration, so that any byte has a value.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API", table of error codes.
public struct LegacyStatus: RawRepresentable, Hashable, Sendable {
    /// Byte on the wire.
    public let rawValue: UInt8

    /// Accepts any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No errors.
    public static let noErrors = LegacyStatus(rawValue: 0)
    /// Processing error.
    public static let processingError = LegacyStatus(rawValue: 1)
    /// Missing device token.
    public static let missingDeviceToken = LegacyStatus(rawValue: 2)
    /// Missing topic.
    public static let missingTopic = LegacyStatus(rawValue: 3)
    /// Missing payload.
    public static let missingPayload = LegacyStatus(rawValue: 4)
    /// Invalid token size.
    public static let invalidTokenSize = LegacyStatus(rawValue: 5)
    /// Invalid topic size.
    public static let invalidTopicSize = LegacyStatus(rawValue: 6)
    /// Invalid payload size.
    public static let invalidPayloadSize = LegacyStatus(rawValue: 7)
    /// Invalid token.
    public static let invalidToken = LegacyStatus(rawValue: 8)
    /// Server shutdown; the identifier names the last accepted notification.
    public static let shutdown = LegacyStatus(rawValue: 10)
    /// Bytes that do not follow the protocol.
    public static let protocolError = LegacyStatus(rawValue: 128)
    /// Unknown error.
    public static let none = LegacyStatus(rawValue: 255)
}

/// Packet before the end of a connection. Everything sent after the named notification is lost.
public struct LegacyErrorPacket: Sendable, Equatable {
    /// Size of `08`, status and identifier.
    public static let byteCount = 6
    private static let command: UInt8 = 8

    /// Reason of the packet.
    public let status: LegacyStatus
    /// Refused notification; with `.shutdown`, the last accepted one.
    public let identifier: UInt32

    /// Creates a simulator's packet.
    public init(status: LegacyStatus, identifier: UInt32) {
        self.status = status
        self.identifier = identifier
    }

    /// Reads a packet; `nil` unless `bytes` is exactly one of `byteCount` bytes.
    public init?(bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.command else { return nil }
        status = LegacyStatus(rawValue: bytes[1])
        identifier = bytes.bigEndian32(at: 2)
    }

    /// Wire form.
    public var bytes: [UInt8] {
        var bytes = [Self.command, status.rawValue]
        bytes.appendBigEndian(identifier)
        return bytes
    }
}

extension Span where Element == UInt8 {
    /// Precondition: in bounds.
    func bigEndian16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

    /// Precondition: in bounds.
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset + 2))
    }
}
