public import Envelope
public import Keys
public import Opening

/// App's own device: identity, prekeys and all operations on them. The extension only reads what this writes.
///
///     switch try AppDevice.open(settings) {
///     case .continued(let device): …
///     case .newIdentity(let device): …          // every sender pins device.identity
///     case .remade(let device, because: _): …   // senders need device.bundle()
///     }
///     try await device.confirmTime { … }        // by a server that is not the relay
///     switch try device.rotateIfDue(token: token) { … }
///     if try device.needsPublication() {
///         let bundle = try device.bundle()
///         try await upload(bundle.bytes)
///         try device.acknowledged(epoch: bundle.epoch)
///     }
///     try await device.report(to: relay)        // receipts and re-send requests
///     try device.destroyDue()
///
/// Calls block on disk writes; keep them off the main thread. Any thread and process may call: all state is on disk.
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

    /// Key that senders pin, by the app's own authenticated channel or a QR code; never with the bundle through the
    /// same relay.
    public var identity: IdentityKey { ring.identity }

    /// Bundle id of the app.
    public var topic: BundleID { settings.topic }

    /// Contacts whose messages are shown.
    ///
    /// - Throws: `.contactsDamaged`, `.locked`, `.system`.
    public func contacts() throws(AppDeviceError) -> ContactList {
        do throws(FileError) {
            return try ContactList(file: container.contactsPath)
        } catch {
            // A list removed under a running app counts as empty.
            if case .notFound = error { return ContactList() }
            let error = error.appDeviceError
            throw error == .damaged ? .contactsDamaged : error
        }
    }

    /// Replaces the contact list, for the extension from the next push on. It overrides announcements. Edit the result
    /// of `contacts()`, which has senders' new keys, not a copy kept elsewhere.
    ///
    /// - Parameter contacts: whole list; of two concurrent changes one is lost.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setContacts(_ contacts: ContactList) throws(AppDeviceError) {
        try withContactsLock { () throws(AppDeviceError) in
            var contacts = contacts
            do throws(AppDeviceError) {
                contacts.keepRetired(of: try self.contacts())
            } catch {
                // A damaged list is replaced too.
                guard error == .contactsDamaged else { throw error }
            }
            try write(contacts)
        }
    }

    /// Applies a sender's announcement that its key is replaced or revoked (docs/protocol.md, section 22). Pass all of
    /// them, oldest first, at each launch. A thief of the old key can announce too; `setContacts` overrides it.
    ///
    /// - Returns: `.unchanged` too if the sender is no contact.
    /// - Throws: `.announcement` if refused, `.contactsDamaged`, `.locked`, `.storageFull`, `.system`; nothing changes
    ///   then.
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

    /// Excludes other threads and processes from reading the list to replacing it.
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
    /// State in which `open` found the device, and the only way to it: senders must learn of every case but the first.
    /// It is repeated until the relay has acknowledged a bundle.
    public enum Start: Sendable {
        /// Unchanged.
        case continued(AppDevice)
        /// First launch, or an erased identity: every sender must pin `identity`.
        case newIdentity(AppDevice)
        /// Same identity, new prekeys: messages sealed to the old ones are lost, and senders need the new bundle.
        /// Contacts may be lost too.
        case remade(AppDevice, because: Loss)
    }

    /// Reason for the new prekeys.
    public enum Loss: Equatable, Sendable, CaseIterable {
        /// Missing prekeys: after a restore, or an app deleted and reinstalled.
        case prekeysMissing
        /// Damaged index of the prekeys.
        case prekeysDamaged
        /// Prekeys of another identity.
        case otherIdentity
        /// Replay window lost, damaged or older than the keys: old messages could show again (protocol v1, rule 15).
        case replayStoreLost
        /// Missing prekey of the bundle.
        case prekeyLost
    }
}
