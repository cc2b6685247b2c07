package import APNS

/// One message between a simulated device and the simulator. docs/device-link.md has every byte.
package enum DeviceFrame: Sendable, Equatable {
    /// The ALPN name of the protocol: whoever speaks anything else does not get past the TLS handshake.
    package static let applicationProtocol = "sealedpush-device/2"
    /// Of the type and all fields. Above the longest push: 5120 bytes of payload and 359 of everything else.
    package static let byteCountMax = 8192
    /// The four bytes that say how long the frame is.
    package static let lengthByteCount = 4

    /// Device to simulator, first.
    case hello(DeviceHello)
    /// Simulator to device, second: the token under which it is reached from now on.
    case welcome(DeviceToken)
    /// Simulator to device.
    case push(DevicePush)
    /// Device to simulator: the push arrived and need not be kept.
    case acknowledgement(APNSID)
    /// Simulator to device, instead of `welcome`; the connection ends.
    case refused(Refusal)
    /// Device to simulator: the app on it listens to one of its broadcast channels.
    case subscribe(topic: Topic, channel: ChannelID)
    /// Device to simulator: it no longer does.
    case unsubscribe(topic: Topic, channel: ChannelID)
    /// Simulator to device: what became of the oldest of the two above that was not answered yet.
    case subscription(Subscription)
    /// Device to simulator: how it is from now on.
    case state(DeviceState)
    /// Device to simulator: the app registers for another kind of push.
    case register(TokenRegistration)
    /// Simulator to device: the token of the oldest registration that was not answered yet.
    case token(DeviceToken)
    /// Device to simulator: a Live Activity has ended, a channel was left; the token is good no more.
    case unregister(TokenRegistration)

    package enum Refusal: UInt8, Sendable, CaseIterable {
        /// The earlier token was given to another app.
        case tokenOfAnotherTopic = 1
        /// The simulator has as many devices as it takes.
        case tooManyDevices = 2
        /// The earlier token was given to a device with another certificate, or to one with none.
        case tokenOfAnotherDevice = 3
        /// The earlier token is the other environment's.
        case tokenOfAnotherEnvironment = 4
        /// The simulator takes devices with a certificate of its own authority only.
        case certificateRequired = 5
    }

    package enum Subscription: UInt8, Sendable, CaseIterable {
        case none = 0
        case active = 1
        /// The app has no such channel in this environment.
        case channelUnknown = 2
        /// The device listens to as many channels as it may.
        case tooMany = 3
    }

    package enum Kind: UInt8, Sendable, CaseIterable {
        case hello = 1
        case welcome = 2
        case push = 3
        case acknowledgement = 4
        case refused = 5
        case subscribe = 16
        case unsubscribe = 17
        case subscription = 18
        case state = 6
        case register = 7
        case token = 8
        case unregister = 9
    }

    package var kind: Kind {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .push: .push
        case .acknowledgement: .acknowledgement
        case .refused: .refused
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .subscription: .subscription
        case .state: .state
        case .register: .register
        case .token: .token
        case .unregister: .unregister
        }
    }
}
