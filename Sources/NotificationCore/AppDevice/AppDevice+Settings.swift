public import Envelope
import Keys
public import Opening
package import Platform

extension AppDevice {
    /// An app's constants: the same at every launch, and what they share with the extension's `NotificationPipeline` the
    /// same there.
    public struct Settings: Sendable {
        /// The app's bundle id; also of a device whose extension has another.
        public let topic: BundleID
        /// The container of the app group: the extension reads it. It exists.
        public let containerPath: String
        /// A folder of the app's own, where the extension cannot reach: the identity's private half lies there. It is
        /// made if it is missing; its parent exists.
        public let privatePath: String
        /// What is shown for what came while the device was locked.
        public let display: DisplayPolicy
        /// How long messages live, and what their senders may ask for.
        public let policy: OpeningPolicy
        /// Whether bundles offer a prekey that opens only while the device is unlocked, beside the usual one. Senders then
        /// choose one of the two for the whole app: a choice for each message would show which are the secret ones.
        public let usesUnlockedClass: Bool

        /// Whether receipts are kept for messages that `openSpooled` opens. Off: no sender hears that somebody is there.
        public var keepsReceipts = false

        /// The state of the device, where the system does not enforce it itself.
        package var lock: @Sendable () -> DeviceLock = { .current }
        /// The device's.
        package var uptime: @Sendable () -> Uptime = { .now }
        /// Where keys lie if not in files: a keychain.
        var keyStores: (identity: any SecretStore, shared: any SecretStore)?

        /// - Parameters:
        ///   - topic: the app's bundle id, a constant.
        ///   - containerPath: what `containerURL(forSecurityApplicationGroupIdentifier:)` gives.
        ///   - privatePath: not inside the container: "Application Support", for instance.
        ///   - display: as in the extension.
        ///   - policy: as in the extension.
        ///   - usesUnlockedClass: whether there are prekeys for the unlocked device.
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

        /// Held while the window and the ring are brought into step.
        var openingLockPath: String { privatePath + "/opening.lock" }

        /// The last device token's digest.
        var tokenRecordPath: String { privatePath + "/token" }

        /// Held while the contact list is read and replaced.
        var contactsLockPath: String { privatePath + "/contacts.lock" }
    }
}
