package import APNS
import DeviceLink

/// A request that passed every check: what to deliver, and to whom.
package struct AcceptedPush: Sendable, Equatable {
    package let id: APNSID
    package let deviceToken: DeviceToken
    package let topic: Topic
    package let pushType: PushType
    package let priority: Priority
    package let expiration: Expiration?
    package let collapseID: CollapseID?
    /// The topic ends otherwise than the push type asks, and the simulator was told to put up with it.
    package let hasTopicOfAnotherType: Bool
    /// Answered 200, and that is all that becomes of it.
    package let isDropped: Bool
    /// Remarks on its headers.
    package let lints: [Lint]

    /// What the device gets.
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
