public import Envelope
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

    /// Makes keys for one endpoint, so that no two servers have the same.
    ///
    /// - Parameters:
    ///   - id: from the relay.
    ///   - server: name for the server, shown with its messages; its first 128 bytes count.
    /// - Throws: `.locked`, `.storageFull`, `.randomSource`, `.system`.
    public func makeWebPushKeys(
        for id: EndpointID,
        server: String
    ) throws(AppDeviceError) -> WebPushSubscription {
        var random = SystemRandom()
        return try makeWebPushKeys(for: id, server: server, random: &random)
    }

    package func makeWebPushKeys(
        for id: EndpointID,
        server: String,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> WebPushSubscription {
        let name = String(decoding: server.utf8.prefix(WebPushKeys.serverByteCountMax), as: UTF8.self)
        let keys: WebPushKeys
        do throws(P256Error) { keys = try WebPushKeys(server: name, random: &random) } catch { throw .randomSource }
        try translated { () throws(FileError) in try container.endpointKeys.write(keys, for: id) }
        return WebPushSubscription(keys)
    }

    /// Destroys an endpoint's keys: its messages do not open any more.
    public func removeWebPushKeys(for id: EndpointID) throws(AppDeviceError) {
        try translated { () throws(FileError) in try container.endpointKeys.remove(id) }
    }

    /// Names of the servers that have keys, by their endpoints' ids. An id that the relay lists and that is missing here
    /// is of an interrupted call: revoke it.
    public func webPushServers() throws(AppDeviceError) -> [EndpointID: String] {
        try translated { () throws(FileError) in
            var servers: [EndpointID: String] = [:]
            for id in try container.endpointKeys.ids() {
                servers[id] = try container.endpointKeys.keys(id).server ?? ""
            }
            return servers
        }
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
