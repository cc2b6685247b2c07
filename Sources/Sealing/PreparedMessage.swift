public import Envelope
private import Keys
package import Primitives

/// Message encoded once for any number of devices. Each costs an encapsulation and a signature, and nothing that
/// depends on the text (protocol v1, rule 11).
///
/// Sealed again for a device that lost its prekey, it has the same id and times: the device shows it once, whichever
/// copy comes first (protocol v1, rule 20). It holds the plain text.
public struct PreparedMessage: Sendable {
    /// Default longest life of a message, for senders and devices.
    public static let lifetimeMax: Duration = .seconds(7 * 86_400)
    /// Upper bound of an app's own limit: Apple keeps a push no longer.
    public static let lifetimeCap: Duration = .seconds(30 * 86_400)
    /// Default ringing time of a call, up to `Message.callLifetimeMax`.
    public static let callLifetime: Duration = .seconds(30)
    /// Default life of any other message.
    public static let lifetime: Duration = .seconds(86_400)

    /// 16 random bytes.
    public let messageID: MessageID
    /// Sending time by the sender's clock.
    public let sentAt: Timestamp
    /// End of life: no device shows it later.
    public let expiresAt: Timestamp
    /// True if `body` was shortened to fit.
    public let isTruncated: Bool

    let pushClass: PushClass
    /// The only suite to seal under: with a second, the message would be as weak as the weaker (protocol v1, rule 18).
    var suite: UInt8
    let body: [UInt8]
    /// SHA-256 of `body`.
    let bodyDigest: [UInt8]

    /// Encodes a new message: a call for operation `.call`, otherwise an alert.
    ///
    /// - Parameters:
    ///   - message: content, and the operation.
    ///   - sentAt: sender's clock.
    ///   - lifetime: time from `sentAt` in which devices may show it. By default a day; for a call 30 seconds, at most
    ///     60.
    ///   - lifetimeMax: limit on the app's devices, at most 30 days.
    ///   - overflow: cuts or refuses a body that does not fit.
    /// - Throws: `SealingError`.
    public init(
        _ message: Message,
        sentAt: Timestamp,
        lifetime: Duration? = nil,
        lifetimeMax: Duration = PreparedMessage.lifetimeMax,
        overflow: Message.Overflow = .shorten
    ) throws(SealingError) {
        var random = SystemRandom()
        try self.init(
            message,
            sentAt: sentAt,
            lifetime: lifetime ?? Self.lifetime(of: message),
            lifetimeMax: lifetimeMax,
            overflow: overflow,
            pushClass: message.pushClass,
            suite: .x25519,
            random: &random
        )
    }

    /// Encodes a message again, from the same arguments.
    ///
    /// - Parameters:
    ///   - message: content that was sent.
    ///   - messageID: a used id for another message counts as a replay, never shown.
    ///   - sentAt: of the first time.
    ///   - expiresAt: of the first time.
    ///   - lifetimeMax: limit on the app's devices, at most 30 days.
    ///   - overflow: cuts or refuses a body that does not fit.
    /// - Throws: `SealingError`.
    public init(
        resending message: Message,
        messageID: MessageID,
        sentAt: Timestamp,
        expiresAt: Timestamp,
        lifetimeMax: Duration = PreparedMessage.lifetimeMax,
        overflow: Message.Overflow = .shorten
    ) throws(SealingError) {
        try self.init(
            message,
            messageID: messageID,
            sentAt: sentAt,
            expiresAt: expiresAt,
            lifetimeMax: lifetimeMax,
            overflow: overflow,
            pushClass: message.pushClass,
            suite: .x25519
        )
    }

    static func lifetime(of message: Message) -> Duration {
        message.pushClass == .voip ? callLifetime : lifetime
    }

    /// Encodes test vectors, which hold calls in alerts' envelopes too.
    package init(
        _ message: Message,
        sentAt: Timestamp,
        lifetime: Duration,
        lifetimeMax: Duration,
        overflow: Message.Overflow,
        pushClass: PushClass,
        suite: Suite,
        random: inout some RandomSource
    ) throws(SealingError) {
        try self.init(
            message,
            messageID: MessageID(bytes: random.bytes(count: MessageID.byteCount)),
            sentAt: sentAt,
            expiresAt: sentAt.advanced(by: lifetime),
            lifetimeMax: lifetimeMax,
            overflow: overflow,
            pushClass: pushClass,
            suite: suite
        )
    }

    private init(
        _ message: Message,
        messageID: MessageID,
        sentAt: Timestamp,
        expiresAt: Timestamp,
        lifetimeMax: Duration,
        overflow: Message.Overflow,
        pushClass: PushClass,
        suite: Suite
    ) throws(SealingError) {
        try Self.check(sentAt: sentAt, expiresAt: expiresAt, lifetimeMax: lifetimeMax, of: message)
        do {
            let encoded = try message.encoded(byteCountMax: pushClass.bodyByteCountMax(suite), overflow: overflow)
            body = encoded.json
            isTruncated = encoded.isTruncated
        } catch {
            throw .message(error)
        }
        bodyDigest = SHA256.hash(body)
        self.messageID = messageID
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.pushClass = pushClass
        self.suite = suite.rawValue
    }

    /// Checks as every device does (protocol v1, rule 25). A lifetime under a millisecond counts as none.
    private static func check(
        sentAt: Timestamp,
        expiresAt: Timestamp,
        lifetimeMax: Duration,
        of message: Message
    ) throws(SealingError) {
        guard lifetimeMax <= lifetimeCap else { throw .lifetimeMax(cap: lifetimeCap) }
        guard sentAt.milliseconds <= Timestamp.millisecondsMax else { throw .sentAt }
        if message.pushClass == .voip, expiresAt > sentAt.advanced(by: Message.callLifetimeMax) {
            throw .callLifetime(lifetimeMax: Message.callLifetimeMax)
        }
        guard sentAt < expiresAt, expiresAt <= sentAt.advanced(by: lifetimeMax) else {
            throw .lifetime(lifetimeMax: lifetimeMax)
        }
        guard expiresAt.milliseconds <= Timestamp.millisecondsMax else { throw .sentAt }
    }

    func frame(from sender: [UInt8]) -> Frame {
        Frame(
            messageID: messageID.rawRepresentation,
            sentAt: sentAt.milliseconds,
            expiresAt: expiresAt.milliseconds,
            senderKey: sender,
            flags: isTruncated ? .truncated : [],
            body: body
        )
    }
}
