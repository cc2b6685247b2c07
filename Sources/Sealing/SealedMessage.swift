public import Envelope

/// A message that only one device can open, ready for the way.
public struct SealedMessage: Sendable {
    package let envelope: Envelope
    /// 16 bytes; the same if the message is sealed again for another device, or again for this one.
    public let messageID: MessageID
    /// Whether `body` was shortened to fit.
    public let isTruncated: Bool
    /// Follows this push through logs.
    public let trace: Trace

    /// Whether it goes out as a VoIP push: with `apns-push-type: voip`, to the app's topic with `.voip` behind it and to
    /// the token of PushKit. The relay calls it the class `call`.
    public var isCall: Bool { envelope.pushClass == .voip }

    /// The JSON to give to APNs as the notification's payload: always the same length for one placeholder.
    ///
    /// - Parameter placeholder: the app's constant alert. A call shows none, and its payload has none.
    /// - Returns: 3,923 bytes and the placeholder's, at most Apple's 4,096; for a call 4,919, at most Apple's 5,120.
    public func payload(placeholder: Placeholder) -> [UInt8] {
        switch envelope.pushClass {
        case .alert: Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace)
        case .voip: Payload.voip(envelope: envelope, trace: trace)
        }
    }

    /// The envelope as text: what a relay takes as `sealed`, of one length for every message. It makes the payload around
    /// it itself.
    public var sealedField: String { String(decoding: envelope.sealedField, as: UTF8.self) }
}
