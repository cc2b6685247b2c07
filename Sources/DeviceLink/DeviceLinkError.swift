package import Networking

/// Failure between device and simulator. Names a field, never its contents.
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

    /// The length is outside 1 ... `byteCountMax`.
    case frameLength(byteCount: Int, byteCountMax: Int)
    case unknownType(UInt8)
    /// Frame that ends inside this field.
    case truncated(Field)
    /// Complete field with an invalid value.
    case malformed(Field)
    /// Bytes follow the last field.
    case trailingBytes(byteCount: Int)
    /// Frame not allowed from its sender, or not now.
    case unexpectedFrame(type: UInt8)
    /// Device rejected by the simulator.
    case refused(DeviceFrame.Refusal)
    /// More unacknowledged pushes than the simulator may send.
    case tooManyPushes(countMax: Int)
    /// Failed connection.
    case transport(TransportError)
}
