/// Why APNs cut a connection of the binary interface.
///
/// A number and not an enumeration: whatever a peer sends is one.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API", table of error codes.
public struct LegacyStatus: RawRepresentable, Hashable, Sendable {
    /// The byte on the wire.
    public let rawValue: UInt8

    /// Any byte.
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
    /// The server goes down. The identifier is that of the last notification that was taken.
    public static let shutdown = LegacyStatus(rawValue: 10)
    /// The bytes were not the protocol's.
    public static let protocolError = LegacyStatus(rawValue: 128)
    /// Not known.
    public static let none = LegacyStatus(rawValue: 255)
}

/// What APNs says before it cuts the connection: everything that was sent after the notification it names is lost.
public struct LegacyErrorPacket: Sendable, Equatable {
    /// `08`, the status, the identifier.
    public static let byteCount = 6
    private static let command: UInt8 = 8

    /// What was wrong.
    public let status: LegacyStatus
    /// Of the notification that was wrong; with `.shutdown`, of the last one that was taken.
    public let identifier: UInt32

    /// To be sent, by a simulator.
    public init(status: LegacyStatus, identifier: UInt32) {
        self.status = status
        self.identifier = identifier
    }

    /// Reads a packet; `nil` for anything else.
    ///
    /// - Parameter bytes: exactly `byteCount` of them.
    public init?(bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.command else { return nil }
        status = LegacyStatus(rawValue: bytes[1])
        identifier = bytes.bigEndian32(at: 2)
    }

    /// As it is on the wire.
    public var bytes: [UInt8] {
        var bytes = [Self.command, status.rawValue]
        bytes.appendBigEndian(identifier)
        return bytes
    }
}

extension Span where Element == UInt8 {
    /// The caller has looked that they are there.
    func bigEndian16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

    /// The caller has looked that they are there.
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset + 2))
    }
}
