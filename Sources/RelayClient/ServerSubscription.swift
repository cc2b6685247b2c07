public import Envelope
public import NotificationCore

/// Endpoint with keys of its own, for one server, which then pushes to the device. Secret: it is the right to push.
///
/// Ask the server for the standard (RFC 8291) where it has a choice: Mastodon with `subscription[standard]=true`.
public struct ServerSubscription: Equatable, Sendable {
    /// Name for revoking it.
    public let id: EndpointID
    /// URL for the server.
    public let endpoint: String
    /// Keys for the server.
    public let keys: WebPushSubscription

    /// As a browser's `PushSubscription` is written: `{"endpoint": …, "keys": {"p256dh": …, "auth": …}}`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("endpoint", endpoint)
            writer.name("keys")
            writer.object { writer in
                writer.member("p256dh", keys.p256dh)
                writer.member("auth", keys.auth)
            }
        }
        return writer.bytes
    }
}

extension ServerSubscription: CustomStringConvertible, CustomReflectable {
    /// Omits the secrets, for logs.
    public var description: String { "ServerSubscription(\(id.text))" }
    /// Omits the secrets.
    public var customMirror: Mirror { Mirror(self, children: ["id": id.text]) }
}

/// Seconds after which an endpoint ends by itself. Few, so that they reveal little.
public enum EndpointLifetime: Int, CaseIterable, Sendable {
    case hour = 3_600
    case day = 86_400
    case week = 604_800
    /// 30 days.
    case month = 2_592_000
    /// 90 days.
    case quarter = 7_776_000
    /// 365 days.
    case year = 31_536_000
}

/// Reason why a server was not subscribed, or not cut off.
public enum SubscriptionError: Error, Equatable, Sendable {
    case relay(RelayClientError)
    case device(AppDeviceError)
}
