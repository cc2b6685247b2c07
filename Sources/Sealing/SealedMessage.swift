public import Envelope

/// Message sealed for one device.
public struct SealedMessage: Sendable {
    package let envelope: Envelope
    /// 16 bytes, the same for all devices and re-sends.
    public let messageID: MessageID
    /// True if `body` was shortened to fit.
    public let isTruncated: Bool
    /// Identifies this push in logs.
    public let trace: Trace

    /// True for a VoIP push, with `apns-push-type: voip`, `.voip` after the app's topic, and PushKit's token. The
    /// relay's class is `call`.
    public var isCall: Bool { envelope.pushClass == .voip }

    /// Builds the JSON payload for APNs, of constant length.
    ///
    /// - Parameter placeholder: app's constant alert; not used for a call.
    /// - Returns: 3,923 bytes and the placeholder's, at most Apple's 4,096; for a call 4,919, at most Apple's 5,120.
    public func payload(placeholder: Placeholder) -> [UInt8] {
        switch envelope.pushClass {
        case .alert: Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace)
        case .voip: Payload.voip(envelope: envelope, trace: trace)
        }
    }

    /// Relay's field `sealed`, of constant length. The relay builds the payload.
    public var sealedField: String { String(decoding: envelope.sealedField, as: UTF8.self) }
}
