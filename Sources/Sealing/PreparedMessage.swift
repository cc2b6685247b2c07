public import Envelope
private import Keys
package import Primitives

/// A message made ready once, for any number of devices: id, times, encoded body and its digest. Each device then costs
/// an encapsulation, a signature and nothing that depends on the text (protocol v1, rule 11).
///
/// Kept, it is sealed again for a device that lost its prekey: the same id and times under a new encapsulation, so that
/// the device shows the message once whichever copy comes first (protocol v1, rule 20). It holds the plain text.
public struct PreparedMessage: Sendable {
    /// What senders and devices take for the longest life of a message where the app says nothing else.
    public static let lifetimeMax: Duration = .seconds(7 * 86_400)
    /// What an app may raise that to: Apple keeps a push no longer.
    public static let lifetimeCap: Duration = .seconds(30 * 86_400)
    /// How long a call rings where the sender says nothing else; `Message.callLifetimeMax` is the most.
    public static let callLifetime: Duration = .seconds(30)
    /// How long any other message lives where the sender says nothing else.
    public static let lifetime: Duration = .seconds(86_400)

    /// 16 random bytes.
    public let messageID: MessageID
    /// By the sender's clock.
    public let sentAt: Timestamp
    /// After it no device shows the message.
    public let expiresAt: Timestamp
    /// Whether `body` was shortened to fit.
    public let isTruncated: Bool

    let pushClass: PushClass
    /// The one suite that this message is ever sealed under, as its byte: under a second one it would be as weak as the
    /// weaker (protocol v1, rule 18).
    var suite: UInt8
    let body: [UInt8]
    /// SHA-256 of `body`.
    let bodyDigest: [UInt8]

    /// Encodes a new message. One whose operation is `.call` becomes a call, which goes out as a VoIP push; everything
    /// else becomes an alert.
    ///
    /// - Parameters:
    ///   - message: what the person will read, or the call.
    ///   - sentAt: the sender's clock.
    ///   - lifetime: how long after `sentAt` the devices may show it; nil for 30 seconds for a call, which may have
    ///     60, and a day for anything else.
    ///   - lifetimeMax: what the app configured on its devices, at most 30 days.
    ///   - overflow: what to do with a message longer than the constant length.
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

    /// Encodes a message again that this sender sealed before and kept as what went in here.
    ///
    /// - Parameters:
    ///   - message: the same as then.
    ///   - messageID: the same as then. Another message under a used id is taken for a replay, and never shown.
    ///   - sentAt: the same as then.
    ///   - expiresAt: the same as then.
    ///   - lifetimeMax: what the app configured on its devices, at most 30 days.
    ///   - overflow: the same as then.
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

    /// For test vectors, which hold calls in alerts' envelopes too: the push class is taken as it is said here.
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

    /// What every device checks too (protocol v1, rule 25), told here to the one who can mend it. A lifetime of less than
    /// a millisecond is none.
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

    /// The frame of one sender, not signed yet.
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
