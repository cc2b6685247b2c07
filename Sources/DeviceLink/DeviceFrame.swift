package import APNS

/// One message between a simulated device and the simulator. docs/device-link.md has every byte.
package enum DeviceFrame: Sendable, Equatable {
    /// The ALPN name of the protocol: whoever speaks anything else does not get past the TLS handshake.
    package static let applicationProtocol = "sealedpush-device/1"
    /// Of the type and all fields. Above the longest push: 5120 bytes of payload and 358 of everything else.
    package static let byteCountMax = 8192
    /// The four bytes that say how long the frame is.
    package static let lengthByteCount = 4

    /// Device to simulator, first: which app it runs, and the token that it was given before, if it was.
    case hello(topic: Topic, earlierToken: DeviceToken?)
    /// Simulator to device, second: the token under which it is reached from now on.
    case welcome(DeviceToken)
    /// Simulator to device.
    case push(DevicePush)
    /// Device to simulator: the push arrived and need not be kept.
    case acknowledgement(APNSID)
    /// Simulator to device, instead of `welcome`; the connection ends.
    case refused(Refusal)

    package enum Refusal: UInt8, Sendable, CaseIterable {
        /// The earlier token was given to another app.
        case tokenOfAnotherTopic = 1
        /// The simulator has as many devices as it takes.
        case tooManyDevices = 2
    }

    package enum Kind: UInt8, Sendable, CaseIterable {
        case hello = 1
        case welcome = 2
        case push = 3
        case acknowledgement = 4
        case refused = 5
    }

    package var kind: Kind {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .push: .push
        case .acknowledgement: .acknowledgement
        case .refused: .refused
        }
    }
}
