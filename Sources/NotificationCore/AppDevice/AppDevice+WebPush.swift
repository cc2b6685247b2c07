import Envelope
import Keys
import Platform
package import Primitives
package import WebPush

// Second format, for servers that speak RFC 8291 (protocol v1, rule 38). Off unless enabled here and by `opensWebPush`.
extension AppDevice {
    /// Makes Web Push keys if there are none. Such messages are unsigned and never expire: the subscription suffices to
    /// write one.
    ///
    /// - Returns: the same until `disableWebPush`.
    /// - Throws: `.webPushKeysDamaged`, `.locked`, `.storageFull`, `.randomSource`, `.system`.
    public func enableWebPush() throws(AppDeviceError) -> WebPushSubscription {
        var random = SystemRandom()
        return try enableWebPush(random: &random)
    }

    package func enableWebPush(random: inout some RandomSource) throws(AppDeviceError) -> WebPushSubscription {
        do throws(FileError) {
            return WebPushSubscription(
                try WebPushKeys(keyFile: container.webPushKeysPath, exampleKeys: .refused)
            )
        } catch {
            guard case .notFound = error else {
                let error = error.appDeviceError
                throw error == .damaged ? .webPushKeysDamaged : error
            }
        }
        let keys: WebPushKeys
        do throws(P256Error) { keys = try WebPushKeys(random: &random) } catch { throw .randomSource }
        try translated { () throws(FileError) in
            try keys.write(to: container.webPushKeysPath, access: .protected(.untilFirstUnlock))
        }
        return WebPushSubscription(keys)
    }

    /// Destroys the keys; messages to them are malformed from then on. Only a new subscription shuts out holders of the
    /// old.
    public func disableWebPush() throws(AppDeviceError) {
        try translated { () throws(FileError) in try PrivateFolder.remove(container.webPushKeysPath) }
    }
}

/// Subscription for a server, as the Push API names it. Private: both values together allow writing.
public struct WebPushSubscription: Equatable, Sendable {
    /// P-256 key, uncompressed: 65 bytes in base64url.
    public let p256dh: String
    /// Authentication secret: 16 bytes in base64url.
    public let auth: String

    package init(_ keys: WebPushKeys) {
        p256dh = Base64URL.string(keys.publicKey.x963Representation)
        auth = keys.withAuthenticationSecret { Base64URL.string([UInt8](copying: $0)) }
    }
}

extension WebPushSubscription: CustomStringConvertible, CustomReflectable {
    /// Omits the secret, for logs.
    public var description: String { "WebPushSubscription(p256dh: \(p256dh))" }
    /// Omits the secret.
    public var customMirror: Mirror { Mirror(self, children: ["p256dh": p256dh]) }
}
