package import APNS

/// Push as APNs passes it to a device, without its sender.
package struct DevicePush: Sendable, Equatable {
    package static let payloadByteCountMax = 5120

    /// Alert's appearance.
    package enum Presentation: UInt8, Sendable, CaseIterable {
        /// As its payload asks.
        case asAsked = 0
        /// Without sound or light, because of a Focus.
        case passiveForFocus = 1
        /// Without sound or light, because too many came at once.
        case passiveForBurst = 2
    }

    package var id: APNSID
    package var topic: Topic
    package var pushType: PushType
    package var priority: Priority
    /// `nil`: APNs's own policy.
    package var expiration: Expiration?
    package var collapseID: CollapseID?
    /// 1 ... `payloadByteCountMax` bytes, unchanged.
    package var payload: [UInt8]
    package var presentation: Presentation

    package init(
        id: APNSID,
        topic: Topic,
        pushType: PushType,
        priority: Priority,
        expiration: Expiration?,
        collapseID: CollapseID?,
        payload: [UInt8],
        presentation: Presentation = .asAsked
    ) {
        self.id = id
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
        self.presentation = presentation
    }
}
