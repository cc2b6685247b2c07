package import APNS
import DeviceLink

/// Well-formed request about channels, perhaps unknown ones.
package enum ChannelRequest: Equatable, Sendable {
    case create(Topic, ChannelStoragePolicy)
    case read(Topic, ChannelID)
    case delete(Topic, ChannelID)
    case list(Topic)
    case send(Topic, ChannelID, Broadcast)
}

package struct Broadcast: Equatable, Sendable {
    package let priority: Priority
    package let expiration: Expiration?
    package let payload: [UInt8]

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
