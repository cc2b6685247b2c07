package import APNS
package import Envelope

/// A device as its app registered it, but for its key bundle: what a notification needs does not have to be read past it.
/// An object: it is large, is never changed, and is handed on at every step of a notification.
package final class Device: Equatable, Sendable {
    /// What the app hands over at every launch.
    package struct Registration: Equatable, Sendable {
        package static let bundleByteCounts = 0...16_384
        package static let textByteCounts = 0...64

        package var key: DeviceKey
        package var topic: Topic
        package var environment: APNSEnvironment
        package var token: DeviceToken
        /// PushKit's, for calls. It ends with its device, and it alone ends or is set aside where only it is wrong.
        package var voIPToken: DeviceToken?
        /// The device's signed public keys, which the store does not read.
        package var bundle: [UInt8]
        /// For the words that its senders choose, such as `de-CH`.
        package var language: String?
        package var region: String?
        package var appVersion: String?

        package init(
            key: DeviceKey,
            topic: Topic,
            environment: APNSEnvironment,
            token: DeviceToken,
            voIPToken: DeviceToken? = nil,
            bundle: [UInt8],
            language: String? = nil,
            region: String? = nil,
            appVersion: String? = nil
        ) {
            self.key = key
            self.topic = topic
            self.environment = environment
            self.token = token
            self.voIPToken = voIPToken
            self.bundle = bundle
            self.language = language
            self.region = region
            self.appVersion = appVersion
        }

        /// - Throws: `.byteCount`.
        func check() throws(StoreError) {
            guard Self.bundleByteCounts.contains(bundle.count) else {
                throw .byteCount(field: .bundle, of: Self.bundleByteCounts)
            }
            let texts: [(StoreError.Field, String?)] = [
                (.language, language), (.region, region), (.appVersion, appVersion),
            ]
            for (field, text) in texts where !Self.textByteCounts.contains(text?.utf8.count ?? 0) {
                throw .byteCount(field: field, of: Self.textByteCounts)
            }
        }
    }

    package let key: DeviceKey
    package let topic: Topic
    package let environment: APNSEnvironment
    package let token: DeviceToken
    /// nil also while it is set aside.
    package let voIPToken: DeviceToken?
    package let language: String?
    package let region: String?
    package let appVersion: String?
    /// When token, topic and environment became what they are.
    package let registered: Timestamp
    /// When the app was last heard of, to the store's `sightingStep`.
    package let seen: Timestamp
    /// nil for a device that may be sent to.
    package let quarantine: Quarantine?
    /// Why its token for calls is set aside; nil where it is not.
    package let voIPQuarantine: Quarantine?
    /// APNs has taken a notification for its token.
    package let isReached: Bool

    package init(
        key: DeviceKey,
        topic: Topic,
        environment: APNSEnvironment,
        token: DeviceToken,
        voIPToken: DeviceToken?,
        language: String?,
        region: String?,
        appVersion: String?,
        registered: Timestamp,
        seen: Timestamp,
        quarantine: Quarantine?,
        voIPQuarantine: Quarantine?,
        isReached: Bool = false
    ) {
        self.key = key
        self.topic = topic
        self.environment = environment
        self.token = token
        self.voIPToken = voIPToken
        self.language = language
        self.region = region
        self.appVersion = appVersion
        self.registered = registered
        self.seen = seen
        self.quarantine = quarantine
        self.voIPQuarantine = voIPQuarantine
        self.isReached = isReached
    }

    package static func == (one: Device, other: Device) -> Bool {
        one.key == other.key && one.topic == other.topic && one.environment == other.environment
            && one.token == other.token && one.voIPToken == other.voIPToken && one.language == other.language
            && one.region == other.region && one.appVersion == other.appVersion && one.registered == other.registered
            && one.seen == other.seen && one.quarantine == other.quarantine
            && one.voIPQuarantine == other.voIPQuarantine && one.isReached == other.isReached
    }
}

/// A token of a tenant's device that APNs knows.
package struct ReachedToken: Hashable, Sendable {
    package let token: DeviceToken
    package let environment: APNSEnvironment
    package let tenant: TenantID

    package init(token: DeviceToken, environment: APNSEnvironment, tenant: TenantID) {
        self.token = token
        self.environment = environment
        self.tenant = tenant
    }
}

/// Why nothing is sent to a device that is still registered.
package enum Quarantine: UInt8, CaseIterable, Sendable {
    /// APNs does not know the token in this environment: perhaps it is of the other one. Until token, topic or environment
    /// change.
    case badToken = 1
    /// APNs said that the app was gone, at a time at which it may have been heard of since. Until it is heard of.
    case unconfirmed = 2
}

/// What a look for a device gives.
package enum DeviceLookup: Equatable, Sendable {
    case found(Device)
    case missing
    /// The row is not what was written, or was moved: nothing can be sent until the app registers anew.
    case damaged
}

/// What became of a registration.
package enum PutResult: Equatable, Sendable {
    case created
    case changed
    /// As it was; nothing was written.
    case unchanged
    /// As it was; when it was seen is written anew.
    case seen
}
