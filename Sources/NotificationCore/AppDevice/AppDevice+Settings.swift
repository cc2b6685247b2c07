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

        /// Account of this device, of an app with several: keys, contacts and all that waits are its own, in folders
        /// below these; the badge is the app's. Nil with one account. The extension's pipeline names all.
        public var account: AccountName?

        /// Keeps receipts of messages from `openSpooled`. Off, no sender learns of the device's presence.
        public var keepsReceipts = false

        package var lock: @Sendable () -> DeviceLock = { .current }
        package var uptime: @Sendable () -> Uptime = { .now }
        /// Key stores in place of files, such as a keychain.
        var keyStores: (@Sendable (AccountName?) -> (identity: any SecretStore, shared: any SecretStore))?

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
            guard let keyStores else {
                return SharedContainer(path: containerPath, account: account, lock: lock, uptime: uptime)
            }
            let store = keyStores(account).shared
            return SharedContainer(path: containerPath, account: account, keyStore: store, uptime: uptime)
        }

        func stores(_ container: SharedContainer) -> KeyStores {
            KeyStores(
                identity: keyStores?(account).identity ?? FileSecretStore(folder: ownPath + "/identity", lock: lock),
                shared: container.keyStore,
                lockPath: ownPath + "/ring.lock"
            )
        }

        /// The account's part of `privatePath`.
        var ownPath: String { account.map { privatePath + "/account-" + $0.text } ?? privatePath }

        var openingLockPath: String { ownPath + "/opening.lock" }

        /// Digest of the last device token.
        var tokenRecordPath: String { ownPath + "/token" }

        var contactsLockPath: String { ownPath + "/contacts.lock" }
    }
}
