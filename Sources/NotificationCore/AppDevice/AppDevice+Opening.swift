package import Envelope
import Keys
import Opening
import Platform
package import Primitives

// Prekeys and replay window must be of one age (protocol v1, rule 15). Each opening raises both copies of the
// generation, so that a restored window of an earlier launch is detected. One of the same launch is not: keep both out
// of backups. In this order a kill anywhere is harmless:
//
// 1. Check every page of the window, or replace it. Killed here, the ring names another window: all is refused, and the
// next opening makes new prekeys.
//
// 2. Compare the ring's copy with the window as found: raised first, a window one launch old would pass. On a mismatch
// the write that names the new window drops every prekey.
//
// 3. Raise the window's generation on disk. Killed here, it is ahead of the ring's, which both sides accept: a newer
// window remembers at least as much.
//
// 4. Raise the ring's copy. Before 3, a kill would look like a restored window and cost every prekey.
extension AppDevice {
    /// Opens the device and makes what is missing, after the first unlock; an identity only if there certainly is none.
    ///
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
        // Two openings at once would raise the window twice, the ring to the lower value.
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
            // It says nothing of these messages, and its time may be forged.
            window = try translated { () throws(ReplayWindowError) in try newWindow(container, random: &random) }
            ring = try newRing(settings, stores, window, now: now, random: &random)
        }
        guard let ring else { throw .erased }
        let raised = try translated { () throws(ReplayWindowError) in try window.advanceGeneration() }
        try translated { () throws(KeyRingError) in try ring.follow(raised) }
        return AppDevice(settings: settings, container: container, ring: ring, window: window)
    }

    /// Erases identity, prekeys, Web Push keys, contacts, avatars, markers, counts, receipts, spool, badge, preview level and muted conversations; with
    /// several accounts this account's, without badge and counts. The replay window, only
    /// digests and the time, stays until the next `open` replaces it.
    ///
    /// - Throws: `AppDeviceError`; call again for the rest.
    public static func erase(_ settings: Settings) throws(AppDeviceError) {
        let container = settings.container
        try makeFolder(settings)
        try translated { () throws(KeyRingError) in try AppKeyRing.erase(stores: settings.stores(container)) }
        try translated { () throws(FileError) in
            try PrivateFolder.remove(container.contactsPath)
            try PrivateFolder.remove(container.webPushKeysPath)
            try container.endpointKeys.removeAll()
            try PrivateFolder.remove(container.requests.path)
            try PrivateFolder.remove(container.preview.path)
            try PrivateFolder.remove(container.muted.path)
            for path in [container.spool.path, container.receipts.path] { try PrivateFolder.remove(path) }
            try container.resendMarkers.removeAll()
            // The app's, for all accounts.
            guard settings.account == nil else { return }
            try PrivateFolder.remove(container.badge.path)
            try PrivateFolder.remove(container.outcomeCounters.path)
        }
        try translated { () throws(ContainerError) in
            try container.avatars.removeAll()
            try container.groups.removeAll()
        }
    }

    private static func makeFolder(_ settings: Settings) throws(AppDeviceError) {
        try translated { () throws(FileError) in
            try PrivateFolder.make(settings.privatePath, protection: .untilFirstUnlock)
            try PrivateFolder.make(settings.ownPath, protection: .untilFirstUnlock)
            try settings.container.makeFolder()
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

    /// - Returns: nil if there certainly is no identity.
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

    /// An empty list tells the extension a stranger from a missing file.
    private func makeContacts() throws(AppDeviceError) {
        do throws(FileError) {
            _ = try ContactList(file: container.contactsPath)
        } catch {
            // A damaged list is kept for the app to see.
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
