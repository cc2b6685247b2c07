public import Envelope
import Keys
public import Opening
package import Platform

extension AppDevice {
    /// App's constants, the same at every launch and in the extension's `NotificationPipeline`.
    public struct Settings: Sendable {
        /// App's bundle id, not the extension's.
        public let topic: BundleID
        /// Existing app group container.
        public let containerPath: String
        /// App's own folder for the identity's private half, out of the extension's reach. Made if missing, in an
        /// existing parent.
        public let privatePath: String
        /// Texts for messages that came while locked.
        public let display: DisplayPolicy
        /// Limits of lifetime and senders' rights.
        public let policy: OpeningPolicy
        /// Offers a second prekey, usable only while unlocked. Senders choose one per app: a choice per message would
        /// show which are secret.
        public let usesUnlockedClass: Bool

        /// Keeps receipts of messages from `openSpooled`. Off, no sender learns of the device's presence.
        public var keepsReceipts = false

        package var lock: @Sendable () -> DeviceLock = { .current }
        package var uptime: @Sendable () -> Uptime = { .now }
        /// Key stores in place of files, such as a keychain.
        var keyStores: (identity: any SecretStore, shared: any SecretStore)?

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - topic: app's bundle id, not the extension's.
        ///   - containerPath: from `containerURL(forSecurityApplicationGroupIdentifier:)`.
        ///   - privatePath: outside the container: "Application Support", say.
        ///   - display: the extension's too.
        ///   - policy: the extension's too.
        ///   - usesUnlockedClass: offers a second prekey, usable only while unlocked.
        public init(
            topic: BundleID,
            containerPath: String,
            privatePath: String,
            display: DisplayPolicy,
            policy: OpeningPolicy = OpeningPolicy(),
            usesUnlockedClass: Bool = false
        ) {
            precondition(
                privatePath != containerPath && !privatePath.hasPrefix(containerPath + "/"),
                "the identity's private half must lie where the extension cannot reach it"
            )
            self.topic = topic
            self.containerPath = containerPath
            self.privatePath = privatePath
            self.display = display
            self.policy = policy
            self.usesUnlockedClass = usesUnlockedClass
        }

        var rotation: RotationPolicy {
            RotationPolicy(messageLifetimeMax: policy.lifetimeMax, usesUnlockedClass: usesUnlockedClass)
        }

        var container: SharedContainer {
            guard let keyStores else { return SharedContainer(path: containerPath, lock: lock, uptime: uptime) }
            return SharedContainer(path: containerPath, keyStore: keyStores.shared, uptime: uptime)
        }

        func stores(_ container: SharedContainer) -> KeyStores {
            KeyStores(
                identity: keyStores?.identity ?? FileSecretStore(folder: privatePath + "/identity", lock: lock),
                shared: container.keyStore,
                lockPath: privatePath + "/ring.lock"
            )
        }

        var openingLockPath: String { privatePath + "/opening.lock" }

        /// Digest of the last device token.
        var tokenRecordPath: String { privatePath + "/token" }

        var contactsLockPath: String { privatePath + "/contacts.lock" }
    }
}
