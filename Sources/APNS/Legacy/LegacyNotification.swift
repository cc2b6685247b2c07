/// Layout of a notification on the binary interface.
///
/// **Switched off**: Apple stopped the interface on 2021-03-31. It serves to test old back ends against a simulator.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API" and "Legacy
///   Information".
public enum LegacyCommand: UInt8, Sendable, CaseIterable {
    /// An error closes the connection without a reason.
    case simple = 0
    /// Adds an expiration, and an identifier for error packets.
    case enhanced = 1
    /// Adds a priority; all fields are items.
    case frame = 2

    /// Largest payload in bytes.
    public var payloadByteCountMax: Int { self == .frame ? 2048 : 256 }

    /// True if an error is answered with a packet.
    public var isAnswered: Bool { self != .simple }
}

/// Push of the binary interface, without topic and type; the certificate determines the app.
public struct LegacyNotification: Sendable, Equatable {
    /// Longest token in the archived guides.
    public static let deviceTokenByteCountMax = 100

    /// Id for error packets. Not sent with `.simple`.
    public var identifier: UInt32
    /// Expiration in seconds since 1970; 0: not stored. Not sent with `.simple`.
    public var expiresAt: UInt32
    /// Priority 10 or 5. Sent with `.frame` only.
    public var priority: Priority
    /// Target device.
    public var deviceToken: DeviceToken
    /// JSON body.
    public var payload: [UInt8]

    /// Creates a notification without validation; see `check(for:)`.
    public init(
        identifier: UInt32 = 0,
        expiresAt: UInt32 = 0,
        priority: Priority = .immediate,
        deviceToken: DeviceToken,
        payload: [UInt8]
    ) {
        self.identifier = identifier
        self.expiresAt = expiresAt
        self.priority = priority
        self.deviceToken = deviceToken
        self.payload = payload
    }

    /// - Throws: the first rule that is broken.
    public func check(for command: LegacyCommand) throws(LegacyNotificationError) {
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= command.payloadByteCountMax else {
            throw .payloadTooLarge(byteCount: payload.count, byteCountMax: command.payloadByteCountMax)
        }
        guard deviceToken.bytes.count <= Self.deviceTokenByteCountMax else {
            throw .deviceTokenTooLong(
                byteCount: deviceToken.bytes.count,
                byteCountMax: Self.deviceTokenByteCountMax
            )
        }
        guard command != .frame || priority != .low else { throw .priorityTooLow }
    }
}

/// Rule that a notification breaks.
public enum LegacyNotificationError: Error, Equatable {
    case payloadEmpty
    case payloadTooLarge(byteCount: Int, byteCountMax: Int)
    case deviceTokenTooLong(byteCount: Int, byteCountMax: Int)
    /// Priority 1 came with HTTP/2.
    case priorityTooLow
}
