public import Envelope
public import Keys
public import Opening

/// An app's own device: its identity and its prekeys, and all that an app does with them while it runs. The extension
/// only reads what this writes.
///
///     switch try AppDevice.open(settings) {
///     case .continued(let device): …
///     case .newIdentity(let device): …              // every sender pins device.identity
///     case .remade(let device, because: _): …       // what was under way is lost; senders need device.bundle()
///     }
///     try await device.confirmTime { … }            // by a server that is not the relay
///     switch try device.rotateIfDue(token: token) { … }
///     if try device.needsPublication() {
///         let bundle = try device.bundle()
///         try await upload(bundle.bytes)
///         try device.acknowledged(epoch: bundle.epoch)
///     }
///     try await device.report(to: relay)            // receipts, and requests for what could not be opened
///     try device.destroyDue()
///
/// Calls write files and wait for the disk: they belong on no thread that draws. Any thread may call, and more than one
/// process: what is on disk counts, and nothing is kept in memory beside it.
public final class AppDevice: Sendable {
    let settings: Settings
    let container: SharedContainer
    let ring: AppKeyRing
    let window: ReplayWindow

    init(settings: Settings, container: SharedContainer, ring: AppKeyRing, window: ReplayWindow) {
        self.settings = settings
        self.container = container
        self.ring = ring
        self.window = window
    }

    /// What senders pin. It reaches them through the app's own authenticated channel, or as a QR code; never beside the
    /// bundle, from the same relay.
    public var identity: IdentityKey { ring.identity }

    /// The app's bundle id.
    public var topic: BundleID { settings.topic }

    /// Whose messages are shown.
    ///
    /// - Throws: `.contactsDamaged`, `.locked`, `.system`.
    public func contacts() throws(AppDeviceError) -> ContactList {
        do throws(FileError) {
            return try ContactList(file: container.contactsPath)
        } catch {
            // A list that was removed under a running app is one that nobody is on.
            if case .notFound = error { return ContactList() }
            let error = error.appDeviceError
            throw error == .damaged ? .contactsDamaged : error
        }
    }

    /// Puts a new list in the place of the old one; the extension uses it from the next push on. It is the app's own word
    /// and counts above all: a key in it is a contact, whatever was announced (`accept`). So change what `contacts()` gives,
    /// which has senders' new keys, rather than write a list that is kept elsewhere.
    ///
    /// - Parameter contacts: all of them. Two threads that each add somebody to what they read lose one of the two.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setContacts(_ contacts: ContactList) throws(AppDeviceError) {
        try withContactsLock { () throws(AppDeviceError) in
            var contacts = contacts
            do throws(AppDeviceError) {
                contacts.keepRetired(of: try self.contacts())
            } catch {
                // A list that is damaged is made whole by this one.
                guard error == .contactsDamaged else { throw error }
            }
            try write(contacts)
        }
    }

    /// Takes what a sender announced of its own key: that a new one takes its place, or that it is revoked
    /// (docs/protocol.md, section 22). Hand over every announcement that there is, older ones first, at each launch: one that
    /// is known changes nothing.
    ///
    /// A thief of the old key can announce one of its own. What counts above that is `setContacts`.
    ///
    /// - Parameters:
    ///   - announcement: the bytes, from anywhere.
    ///   - now: the device's clock.
    /// - Returns: what changed; `.unchanged` too for one of a sender that is no contact.
    /// - Throws: `.announcement` for one that is refused, `.contactsDamaged`, `.locked`, `.storageFull`, `.system`; nothing
    ///   changed then.
    public func accept(
        _ announcement: [UInt8],
        now: Timestamp = .now
    ) throws(AppDeviceError) -> SenderChange {
        try withContactsLock { () throws(AppDeviceError) in
            var contacts = try contacts()
            let change: SenderChange
            do throws(SenderAnnouncementError) {
                change = try contacts.take(
                    SenderAnnouncement(verifying: announcement, topic: settings.topic, now: now)
                )
            } catch {
                throw .announcement(error)
            }
            if change != .unchanged { try write(contacts) }
            return change
        }
    }

    private func write(_ contacts: ContactList) throws(AppDeviceError) {
        try translated { () throws(FileError) in try contacts.write(to: container.contactsPath) }
    }

    /// From reading the list to replacing it, across threads and processes.
    private func withContactsLock<Result>(
        _ body: () throws(AppDeviceError) -> Result
    ) throws(AppDeviceError) -> Result {
        try translated { () throws(KeyRingError) in
            try RingLock.held(path: settings.contactsLockPath) {
                do throws(AppDeviceError) {
                    return Swift.Result<Result, AppDeviceError>.success(try body())
                } catch {
                    return .failure(error)
                }
            }
        }
        .get()
    }
}

extension AppDevice {
    /// How a device was found when it was opened. There is no way to the device that does not pass through this: each
    /// case but the first is something that senders must hear of. It is said again at every opening until the relay has
    /// acknowledged a bundle.
    public enum Start: Sendable {
        /// As it was left.
        case continued(AppDevice)
        /// First launch, or the identity was erased: every sender must pin `identity` before it can write.
        case newIdentity(AppDevice)
        /// The same identity with new prekeys; what was sealed to the old ones cannot be opened. Senders need the new
        /// bundle. Contacts may be gone too.
        case remade(AppDevice, because: Loss)
    }

    /// What was lost of a device's keys, so that new ones had to be made.
    public enum Loss: Equatable, Sendable, CaseIterable {
        /// The prekeys did not survive: a restore, or an app that was deleted and came back.
        case prekeysMissing
        /// The prekeys' index was not what was written.
        case prekeysDamaged
        /// The prekeys belonged to another identity.
        case otherIdentity
        /// Lost, damaged or older than the keys: without it old messages could be shown again (protocol v1, rule 15).
        case replayStoreLost
        /// A prekey that the bundle offers was gone.
        case prekeyLost
    }
}
