package import APNS
import DeviceLink

package struct AcceptedPush: Sendable, Equatable {
    package let id: APNSID
    package let deviceToken: DeviceToken
    package let topic: Topic
    package let pushType: PushType
    package let priority: Priority
    package let expiration: Expiration?
    package let collapseID: CollapseID?
    /// True for a topic of another type that a setting accepts.
    package let hasTopicOfAnotherType: Bool
    /// True if answered 200 but not delivered.
    package let isDropped: Bool
    /// Remarks on its headers.
    package let lints: [Lint]

    func delivery(payload: [UInt8]) -> DevicePush {
        DevicePush(
            id: id,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID,
            payload: payload
        )
    }
}
