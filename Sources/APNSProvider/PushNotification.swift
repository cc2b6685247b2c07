package import APNS

/// One push to one device: everything that its request says but who is pushing.
package struct PushNotification: Sendable, Equatable {
    /// Names this push in both directions. Resending with the same one is how an unclear outcome is settled.
    package var id: APNSID
    package var deviceToken: DeviceToken
    package var topic: Topic
    package var pushType: PushType
    /// `nil` leaves the header out, which APNs reads as `.immediate`.
    package var priority: Priority?
    /// `nil` leaves the header out: APNs stores as long as its policy allows, 30 days at most.
    package var expiration: Expiration?
    package var collapseID: CollapseID?
    /// The JSON of the body, as it goes out.
    package var payload: [UInt8]

    package init(
        id: APNSID,
        deviceToken: DeviceToken,
        topic: Topic,
        pushType: PushType = .alert,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        collapseID: CollapseID? = nil,
        payload: [UInt8]
    ) {
        self.id = id
        self.deviceToken = deviceToken
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
    }

    /// A rule of Apple's that a notification breaks: sending it would only cost an error, and too many errors cost the
    /// connection.
    package enum Fault: Error, Equatable {
        case payloadEmpty
        case payloadTooLarge(byteCount: Int, byteCountMax: Int)
        /// A background push with priority 10, or without a priority, which means 10.
        case backgroundNeedsLowerPriority
        /// The topic of this push type ends in its suffix.
        case topicLacksSuffix(of: PushType)
    }

    /// - Throws: the first rule that is broken.
    package func check() throws(Fault) {
        guard topic.hasSuffix(of: pushType) else { throw .topicLacksSuffix(of: pushType) }
        guard pushType.allows(priority ?? .immediate) else { throw .backgroundNeedsLowerPriority }
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= pushType.payloadByteCountMax else {
            throw .payloadTooLarge(byteCount: payload.count, byteCountMax: pushType.payloadByteCountMax)
        }
    }
}

extension PushNotification.Fault: CustomStringConvertible {
    /// One sentence that names Apple's rule and what APNs would have answered.
    package var description: String {
        switch self {
        case .payloadEmpty:
            "The payload is empty; APNs answers PayloadEmpty."
        case .payloadTooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows; APNs answers PayloadTooLarge."
        case .backgroundNeedsLowerPriority:
            "A background push must have priority 5 or 1, and none means 10; APNs answers BadPriority."
        case .topicLacksSuffix(let pushType):
            "The topic of a \(pushType.rawValue) push is the bundle id followed by \(pushType.topicSuffix); APNs answers"
                + " BadTopic."
        }
    }

    /// What APNs would have answered.
    package var reason: Reason {
        switch self {
        case .payloadEmpty: .payloadEmpty
        case .payloadTooLarge: .payloadTooLarge
        case .backgroundNeedsLowerPriority: .badPriority
        case .topicLacksSuffix: .badTopic
        }
    }
}
