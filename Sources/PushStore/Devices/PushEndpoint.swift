package import APNS
package import Envelope

/// Right to push to one device, which the device gave to one server. Its URL is the right; the store has a hash of it.
package struct PushEndpoint: Equatable, Sendable {
    /// Of one device.
    package static let countMax = 100
    package static let hashByteCount = 32

    /// Of the URL's last part.
    package let hash: [UInt8]
    package let device: DeviceKey
    package let created: Timestamp
    /// Of the only key with which a server may push to it; nil: any server may.
    package let vapidKeyHash: [UInt8]?

    package init(hash: [UInt8], device: DeviceKey, created: Timestamp, vapidKeyHash: [UInt8]? = nil) {
        self.hash = hash
        self.device = device
        self.created = created
        self.vapidKeyHash = vapidKeyHash
    }
}

/// Endpoint with the app to which its pushes go.
package struct EndpointTarget: Equatable, Sendable {
    package let endpoint: PushEndpoint
    /// The device's app.
    package let topic: Topic
    package let environment: APNSEnvironment
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
