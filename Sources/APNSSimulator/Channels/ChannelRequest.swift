package import APNS
import DeviceLink

/// A request about channels whose form is right. Whether the channel exists, the directory knows.
package enum ChannelRequest: Equatable, Sendable {
    case create(Topic, ChannelStoragePolicy)
    case read(Topic, ChannelID)
    case delete(Topic, ChannelID)
    case list(Topic)
    case send(Topic, ChannelID, Broadcast)
}

/// What is sent on a channel.
package struct Broadcast: Equatable, Sendable {
    package let priority: Priority
    /// `nil`: the request had none.
    package let expiration: Expiration?
    package let payload: [UInt8]

    /// What a device gets.
    func push(_ id: APNSID, topic: Topic) -> DevicePush {
        DevicePush(
            id: id,
            topic: topic,
            pushType: .liveactivity,
            priority: priority,
            expiration: expiration,
            collapseID: nil,
            payload: payload
        )
    }
}
