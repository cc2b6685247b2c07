package import APNS
package import Envelope

/// Registered device without its key bundle, which notifications do not need. A class: large and often passed on.
package final class Device: Equatable, Sendable {
    package struct Registration: Equatable, Sendable {
        package static let bundleByteCounts = 0...16_384
        package static let textByteCounts = 0...64

        package var key: DeviceKey
        package var topic: Topic
        package var environment: APNSEnvironment
        package var token: DeviceToken
        /// PushKit's. Ends with its device, and alone if only it is bad.
        package var voIPToken: DeviceToken?
        /// Of different purposes.
        package var extraTokens: [ExtraToken]
        /// Signed public keys, opaque to the store.
        package var bundle: [UInt8]
        /// Chooses the sender's texts, such as `de-CH`.
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
            appVersion: String? = nil,
            extraTokens: [ExtraToken] = []
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
            self.extraTokens = extraTokens
        }

        /// - Throws: `.byteCount`.
        package func check() throws(StoreError) {
            guard Self.bundleByteCounts.contains(bundle.count) else {
                throw .byteCount(field: .bundle, of: Self.bundleByteCounts)
            }
            guard ExtraToken.counts.contains(extraTokens.count) else {
                throw .byteCount(field: .extraTokens, of: ExtraToken.counts)
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
    /// nil also in quarantine.
    package let voIPToken: DeviceToken?
    package let extraTokens: [ExtraToken]
    package let language: String?
    package let region: String?
    package let appVersion: String?
    /// The last change of address.
    package let registered: Timestamp
    /// The last launch, to the store's `sightingStep`.
    package let seen: Timestamp
    package let quarantine: Quarantine?
    package let voIPQuarantine: Quarantine?
    /// True once APNs has accepted its token.
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
        isReached: Bool = false,
        extraTokens: [ExtraToken] = []
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
        self.extraTokens = extraTokens
    }

    /// - Parameter purpose: nil for the app's own, or PushKit's in a call.
    /// - Returns: nil if the app registered none.
    package func token(for pushType: PushType, _ purpose: TokenPurpose?) -> DeviceToken? {
        if let purpose { return extraTokens.first { $0.purpose == purpose }?.token }
        return pushType == .voip ? voIPToken : token
    }

    package static func == (one: Device, other: Device) -> Bool {
        one.key == other.key && one.topic == other.topic && one.environment == other.environment
            && one.token == other.token && one.voIPToken == other.voIPToken && one.language == other.language
            && one.region == other.region && one.appVersion == other.appVersion && one.registered == other.registered
            && one.seen == other.seen && one.quarantine == other.quarantine
            && one.voIPQuarantine == other.voIPQuarantine && one.isReached == other.isReached
            && one.extraTokens == other.extraTokens
    }
}

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

/// Reason that a registered device gets nothing.
package enum Quarantine: UInt8, CaseIterable, Sendable {
    /// APNs does not know the token in this environment. Until token, topic or environment change.
    case badToken = 1
    /// APNs reported the app as gone, perhaps before its last launch. Until the next one.
    case unconfirmed = 2
}

package enum DeviceLookup: Equatable, Sendable {
    case found(Device)
    case missing
    /// Damaged or moved row: no pushes until the app registers again.
    case damaged
}

package enum PutResult: Equatable, Sendable {
    case created
    case changed
    /// Nothing was written.
    case unchanged
    /// Only the last-seen time changed.
    case seen
}
