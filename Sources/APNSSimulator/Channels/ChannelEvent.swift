package import APNS

/// Devices and channels appear by number.
package enum ChannelEvent: Equatable, Sendable {
    case created(channel: Int)
    case deleted(channel: Int)
    /// Accepted broadcast; devices that got it at once.
    case published(APNSID, channel: Int, deviceCount: Int)
    /// Stored for offline devices.
    case stored(APNSID, channel: Int)
    case delivered(APNSID, channel: Int, device: Int)
    case subscribed(channel: Int, device: Int)
    case unsubscribed(channel: Int, device: Int)
    case refused(BroadcastReason)
}

extension ChannelEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .created(let channel): "channel \(channel) created"
        case .deleted(let channel): "channel \(channel) deleted"
        case .published(let id, let channel, let count): "\(id) published on channel \(channel) to \(count) devices"
        case .stored(let id, let channel): "\(id) stored by channel \(channel)"
        case .delivered(let id, let channel, let device): "\(id) of channel \(channel) delivered to device \(device)"
        case .subscribed(let channel, let device): "device \(device) listens to channel \(channel)"
        case .unsubscribed(let channel, let device): "device \(device) left channel \(channel)"
        case .refused(let reason): "refused: \(reason.status) \(reason.rawValue)"
        }
    }
}
