/// Which layout of the binary interface a notification is written in.
///
/// **Switched off**: Apple stopped the interface on 2021-03-31. It is here so that old back ends can be tested, against a
/// simulator.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API" and "Legacy Information".
public enum LegacyCommand: UInt8, Sendable, CaseIterable {
    /// Token and payload. A mistake cuts the connection, and nothing says why.
    case simple = 0
    /// With an identifier, by which a mistake is told, and an expiration.
    case enhanced = 1
    /// The same and a priority, as items in a frame.
    case frame = 2

    /// The largest payload.
    public var payloadByteCountMax: Int { self == .frame ? 2048 : 256 }

    /// Whether a mistake is answered with a packet that names it.
    public var isAnswered: Bool { self != .simple }
}

/// One push as the binary interface knew it: no topic, no type; the certificate said which app.
public struct LegacyNotification: Sendable, Equatable {
    /// The longest token that the archived guides speak of.
    public static let deviceTokenByteCountMax = 100

    /// Comes back in an error packet. Not sent with `.simple`.
    public var identifier: UInt32
    /// Seconds since 1970; 0: not stored. Not sent with `.simple`.
    public var expiresAt: UInt32
    /// 10 or 5. Sent with `.frame` only.
    public var priority: Priority
    /// To which device.
    public var deviceToken: DeviceToken
    /// JSON.
    public var payload: [UInt8]

    /// Nothing is checked here: `check` says what a layout can carry.
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

    /// Why a notification cannot be written.
    public enum Fault: Error, Equatable {
        case payloadEmpty
        case payloadTooLarge(byteCount: Int, byteCountMax: Int)
        case deviceTokenTooLong(byteCount: Int, byteCountMax: Int)
        /// 1 came with HTTP/2.
        case priorityTooLow
    }

    /// - Throws: the first rule that is broken.
    public func check(for command: LegacyCommand) throws(Fault) {
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
