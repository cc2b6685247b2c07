package import APNS

/// A push as it reaches a device: what APNs passes on, and nothing of who sent it.
package struct DevicePush: Sendable, Equatable {
    package static let payloadByteCountMax = 5120

    package var id: APNSID
    package var topic: Topic
    package var pushType: PushType
    package var priority: Priority
    /// `nil`: APNs's own policy.
    package var expiration: Expiration?
    package var collapseID: CollapseID?
    /// 1 ... `payloadByteCountMax` bytes, as they came.
    package var payload: [UInt8]

    package init(
        id: APNSID,
        topic: Topic,
        pushType: PushType,
        priority: Priority,
        expiration: Expiration?,
        collapseID: CollapseID?,
        payload: [UInt8]
    ) {
        self.id = id
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
    }
}
