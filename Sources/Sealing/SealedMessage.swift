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

    /// The JSON to give to APNs as the notification's payload: always the same length for one placeholder.
    ///
    /// - Parameter placeholder: the app's constant alert.
    /// - Returns: 3,923 bytes and the placeholder's; at most Apple's 4,096.
    public func payload(placeholder: Placeholder) -> [UInt8] {
        switch envelope.pushClass {
        case .alert: Payload.alert(placeholder: placeholder, envelope: envelope, trace: trace)
        case .voip: Payload.voip(envelope: envelope, trace: trace)
        }
    }
}
