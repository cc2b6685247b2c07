package import APNS

/// Message between simulated device and simulator; docs/device-link.md has every byte.
package enum DeviceFrame: Sendable, Equatable {
    /// The ALPN name; the TLS handshake fails without it.
    package static let applicationProtocol = "sealedpush-device/2"
    /// Bound of type and fields. The longest push has 5120 bytes of payload and 359 of all else.
    package static let byteCountMax = 8192
    package static let lengthByteCount = 4

    /// Device to simulator, first.
    case hello(DeviceHello)
    /// Simulator to device, second: the device's token from now on.
    case welcome(DeviceToken)
    /// Simulator to device.
    case push(DevicePush)
    /// Device to simulator: the push arrived and need not be kept.
    case acknowledgement(APNSID)
    /// Simulator to device, instead of `welcome`; the connection ends.
    case refused(Refusal)
    /// Device to simulator: listen to a broadcast channel.
    case subscribe(topic: Topic, channel: ChannelID)
    /// Device to simulator: end a subscription.
    case unsubscribe(topic: Topic, channel: ChannelID)
    /// Simulator to device: answers the oldest open `subscribe` or `unsubscribe`.
    case subscription(Subscription)
    /// Device to simulator: its new state.
    case state(DeviceState)
    /// Device to simulator: register for another kind of push.
    case register(TokenRegistration)
    /// Simulator to device: answers the oldest open `register`.
    case token(DeviceToken)
    /// Device to simulator: the token is void, after a Live Activity or channel.
    case unregister(TokenRegistration)

    package enum Refusal: UInt8, Sendable, CaseIterable {
        /// Earlier token of another app.
        case tokenOfAnotherTopic = 1
        /// Device limit of the simulator.
        case tooManyDevices = 2
        /// Earlier token of a device with another certificate, or none.
        case tokenOfAnotherDevice = 3
        /// Earlier token of the other environment.
        case tokenOfAnotherEnvironment = 4
        /// No certificate of the simulator's own authority.
        case certificateRequired = 5
    }

    package enum Subscription: UInt8, Sendable, CaseIterable {
        case none = 0
        case active = 1
        /// Unknown channel of the app in this environment.
        case channelUnknown = 2
        /// Subscription limit of the device.
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
