package import Transport

/// Why a device and the simulator stopped understanding each other. Says which field, never what was in it.
package enum DeviceLinkError: Error, Equatable {
    package enum Field: String, Equatable, Sendable {
        case deviceToken = "device token"
        case topic
        case id = "apns-id"
        case pushType = "push type"
        case priority
        case expiration
        case collapseID = "collapse id"
        case payload
        case refusal
        case channelID = "channel id"
        case subscription
        case arrival
        case state
        case presentation
        case tokenKind = "kind of token"
        case instance
    }

    /// A frame is at least its type and at most `byteCountMax` long.
    case frameLength(byteCount: Int, byteCountMax: Int)
    case unknownType(UInt8)
    /// The frame ends inside this field.
    case truncated(Field)
    /// The field is all there and not allowed to be what it is.
    case malformed(Field)
    /// The frame's last field ends before the frame does.
    case trailingBytes(byteCount: Int)
    /// A frame that its sender may not send, or not now.
    case unexpectedFrame(type: UInt8)
    /// The simulator did not take the device.
    case refused(DeviceFrame.Refusal)
    /// More pushes wait than the simulator may send before they are acknowledged.
    case tooManyPushes(countMax: Int)
    /// The connection failed underneath.
    case transport(TransportError)
}
