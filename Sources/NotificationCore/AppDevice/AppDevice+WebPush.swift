import Envelope
import Keys
import Platform
package import Primitives
package import WebPush

// The second format, for servers that already speak RFC 8291 (protocol v1, rule 38). Off until the app asks for it here
// and its extension says `opensWebPush`.
extension AppDevice {
    /// Makes keys for messages in the format of Web Push, if there are none. Nobody signs such a message: whoever has the
    /// subscription's values can write one, and it never expires.
    ///
    /// - Returns: what the app's server needs, the same until `disableWebPush`.
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

    /// Destroys the keys: whatever was encrypted to them is malformed from now on. The next `enableWebPush` makes a new
    /// subscription; to make one is the only way to shut out who has the old one.
    ///
    /// - Throws: `AppDeviceError`.
    public func disableWebPush() throws(AppDeviceError) {
        try translated { () throws(FileError) in try PrivateFolder.remove(container.webPushKeysPath) }
    }
}

/// What a server needs to write Web Push messages to this device, as the Push API names it. Not public: who has both can
/// write.
public struct WebPushSubscription: Equatable, Sendable {
    /// The device's P-256 key, uncompressed: 65 bytes as base64url.
    public let p256dh: String
    /// The authentication secret: 16 bytes as base64url.
    public let auth: String

    package init(_ keys: WebPushKeys) {
        p256dh = Base64URL.string(keys.publicKey.x963Representation)
        auth = keys.withAuthenticationSecret { Base64URL.string([UInt8](copying: $0)) }
    }
}

extension WebPushSubscription: CustomStringConvertible, CustomReflectable {
    /// Without the secret: logs are no place for it.
    public var description: String { "WebPushSubscription(p256dh: \(p256dh))" }
    /// Without the secret, too.
    public var customMirror: Mirror { Mirror(self, children: ["p256dh": p256dh]) }
}
