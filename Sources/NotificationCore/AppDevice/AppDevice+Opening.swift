package import Envelope
import Keys
import Opening
import Platform
package import Primitives

// Keys and replay window are one thing in two places, and must be of one age (protocol v1, rule 15). At every opening both
// copies of the generation are raised, so that a window of an earlier launch, which a restore brought back, is told from
// this one. One of the same launch is not; so neither belongs into a backup.
// The order makes a kill anywhere harmless:
//
// 1. The window is there, and every page of it is what was written; or an empty one takes its place. Ended here, the ring
//    names another window: extension and app refuse everything, and the next opening makes new prekeys.
// 2. The ring compares its copy with the window as it was found: raised first, a window of one launch ago would pass. What
//    does not continue the copy costs every prekey, with the same one write that names the new window.
// 3. The window's generation is raised, on disk. Ended here, it is ahead of the ring's copy, which both sides accept: a
//    window that is newer than the ring remembers at least as much.
// 4. The ring's copy follows.
//
// With 4 before 3 a kill would leave a ring ahead of its window, as a restored window does, and cost every prekey.
extension AppDevice {
    /// Opens the device, and makes what is missing: all of it at the first launch. Call it once the person has unlocked
    /// the device after a restart; the identity is only ever made where there certainly is none.
    ///
    /// - Parameter settings: the app's constants.
    /// - Returns: the device, by way of what happened to it.
    /// - Throws: `AppDeviceError`; `.locked` before the first unlock.
    public static func open(_ settings: Settings) throws(AppDeviceError) -> Start {
        var random = SystemRandom()
        return try open(settings, now: .now, random: &random)
    }

    package static func open(
        _ settings: Settings,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> Start {
        try makeFolder(settings)
        // Two openings at once would raise the window's generation twice and the ring's to the lower of the two.
        let device = try translated { () throws(KeyRingError) in
            try RingLock.held(path: settings.openingLockPath) {
                do throws(AppDeviceError) {
                    return Result<AppDevice, AppDeviceError>.success(try locked(settings, now: now, random: &random))
                } catch {
                    return .failure(error)
                }
            }
        }
        .get()
        try device.makeContacts()
        try translated { () throws(ContainerError) in try device.container.protect() }
        device.excludeFromBackups()
        return device.start
    }

    /// Under the lock.
    private static func locked(
        _ settings: Settings,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> AppDevice {
        let container = settings.container
        var window = try translated { () throws(ReplayWindowError) in try intactWindow(container, random: &random) }
        let stores = settings.stores(container)
        var ring = try existingRing(settings, stores, window, now: now, random: &random)
        if ring == nil {
            // A window of another identity says nothing of this one's messages; its time may be what somebody made of it.
            window = try translated { () throws(ReplayWindowError) in try newWindow(container, random: &random) }
            ring = try newRing(settings, stores, window, now: now, random: &random)
        }
        guard let ring else { throw .erased }
        let raised = try translated { () throws(ReplayWindowError) in try window.advanceGeneration() }
        try translated { () throws(KeyRingError) in try ring.follow(raised) }
        return AppDevice(settings: settings, container: container, ring: ring, window: window)
    }

    /// Forgets the person: identity, prekeys, contacts and their pictures, markers, counts, receipts, messages that are
    /// not opened yet, the badge's number. The replay window stays, which holds nothing but digests and the time, until the
    /// next `open` makes a new identity and a window of its own.
    ///
    /// - Parameter settings: the app's constants.
    /// - Throws: `AppDeviceError`; what is left then goes with another call.
    public static func erase(_ settings: Settings) throws(AppDeviceError) {
        let container = settings.container
        try makeFolder(settings)
        try translated { () throws(KeyRingError) in try AppKeyRing.erase(stores: settings.stores(container)) }
        try translated { () throws(FileError) in
            try PrivateFolder.remove(container.contactsPath)
            try PrivateFolder.remove(container.webPushKeysPath)
            try PrivateFolder.remove(container.badge.path)
            try PrivateFolder.remove(container.requests.path)
            try PrivateFolder.remove(container.outcomeCounters.path)
        }
        try translated { () throws(ContainerError) in
            try container.avatars.removeAll()
            try container.spool.removeAll()
            try container.resendMarkers.removeAll()
            try container.receipts.removeAll()
        }
    }

    /// The app's own: what is made in it has its class.
    private static func makeFolder(_ settings: Settings) throws(AppDeviceError) {
        try translated { () throws(FileError) in
            try PrivateFolder.make(settings.privatePath, protection: .untilFirstUnlock)
        }
    }

    private static func intactWindow(
        _ container: SharedContainer,
        random: inout some RandomSource
    ) throws(ReplayWindowError) -> ReplayWindow {
        do {
            let window = try ReplayWindow(
                folder: container.replayFolder,
                ifMissing: .create,
                random: &random,
                uptime: container.uptime
            )
            try window.check()
            return window
        } catch {
            guard error == .damaged || error == .missing else { throw error }
            return try newWindow(container, random: &random)
        }
    }

    private static func newWindow(
        _ container: SharedContainer,
        random: inout some RandomSource
    ) throws(ReplayWindowError) -> ReplayWindow {
        try ReplayWindow.replace(folder: container.replayFolder, random: &random, uptime: container.uptime)
    }

    /// - Returns: nil where there certainly is no identity.
    private static func existingRing(
        _ settings: Settings,
        _ stores: KeyStores,
        _ window: ReplayWindow,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> AppKeyRing? {
        let clock = try settings.clock(now: now, window: window)
        do throws(KeyRingError) {
            return try AppKeyRing.open(
                stores: stores,
                topic: settings.topic,
                policy: settings.rotation,
                replayStore: window.store,
                at: clock,
                random: &random
            )
        } catch {
            guard error == .noIdentity else { throw error.appDeviceError }
            return nil
        }
    }

    private static func newRing(
        _ settings: Settings,
        _ stores: KeyStores,
        _ window: ReplayWindow,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(AppDeviceError) -> AppKeyRing {
        let clock = try settings.clock(now: now, window: window)
        return try translated { () throws(KeyRingError) in
            try AppKeyRing.create(
                stores: stores,
                topic: settings.topic,
                policy: settings.rotation,
                replayStore: window.store,
                at: clock,
                random: &random
            )
        }
    }

    /// An empty list where there is none: without one the extension could not tell a stranger from a missing file.
    private func makeContacts() throws(AppDeviceError) {
        do throws(FileError) {
            _ = try ContactList(file: container.contactsPath)
        } catch {
            // A damaged list is for the app to see when it reads it; it is not replaced behind its back.
            guard case .notFound = error else { return }
            try setContacts(ContactList())
        }
    }

    private var start: Start {
        switch ring.start {
        case .continued: .continued(self)
        case .newIdentity: .newIdentity(self)
        case .remade(.ringMissing): .remade(self, because: .prekeysMissing)
        case .remade(.ringDamaged): .remade(self, because: .prekeysDamaged)
        case .remade(.otherIdentity): .remade(self, because: .otherIdentity)
        case .remade(.replayStoreLost): .remade(self, because: .replayStoreLost)
        case .remade(.keyLost): .remade(self, because: .prekeyLost)
        }
    }
}
