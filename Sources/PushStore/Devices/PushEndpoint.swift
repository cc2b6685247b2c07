package import APNS
package import Envelope

/// Right to push to one device, which the device gave to one server. Its URL is the right; the store has a hash of it.
package struct PushEndpoint: Equatable, Sendable {
    /// Of one device.
    package static let countMax = 100
    package static let hashByteCount = 32
    /// Of one with an expiry: few, so that they reveal little.
    package static let lifetimeSeconds: [Int64] = [3_600, 86_400, 604_800, 2_592_000, 7_776_000, 31_536_000]

    /// Of the URL's last part.
    package let hash: [UInt8]
    package let device: DeviceKey
    package let created: Timestamp
    /// Time from which it is gone; nil: none.
    package let expiry: Timestamp?
    /// Of the only key with which a server may push to it; nil: any server may.
    package let vapidKeyHash: [UInt8]?

    package init(
        hash: [UInt8],
        device: DeviceKey,
        created: Timestamp,
        expiry: Timestamp? = nil,
        vapidKeyHash: [UInt8]? = nil
    ) {
        self.hash = hash
        self.device = device
        self.created = created
        self.expiry = expiry
        self.vapidKeyHash = vapidKeyHash
    }

    package func hasExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }
}

/// Record too long for a push, which its device fetches.
package struct KeptRecord: Equatable, Sendable {
    /// Of one endpoint; then the oldest goes.
    package static let countMax = 16
    package static let nameByteCount = 32

    /// 32 bytes; the right to read it.
    package let name: [UInt8]
    /// The endpoint's hash. The record ends with it.
    package let endpoint: [UInt8]
    package let expiry: Timestamp
    package let bytes: [UInt8]

    package init(name: [UInt8], endpoint: [UInt8], expiry: Timestamp, bytes: [UInt8]) {
        self.name = name
        self.endpoint = endpoint
        self.expiry = expiry
        self.bytes = bytes
    }
}

/// Endpoint with its device's registration.
package struct EndpointTarget: Equatable, Sendable {
    package let endpoint: PushEndpoint
    package let lookup: DeviceLookup
    /// The device's app.
    package let topic: Topic
    package let environment: APNSEnvironment

    package init(endpoint: PushEndpoint, lookup: DeviceLookup, topic: Topic, environment: APNSEnvironment) {
        self.endpoint = endpoint
        self.lookup = lookup
        self.topic = topic
        self.environment = environment
    }
}

package enum EndpointKeyResult: Equatable, Sendable {
    case set
    case noDevice
    /// Another device has it.
    case taken
}

package enum EndpointAddition: Equatable, Sendable {
    case added
    /// It has `PushEndpoint.countMax`.
    case full
    case noDevice
}
