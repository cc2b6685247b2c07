package import Envelope
import Keys
package import Platform
package import Primitives

/// Remembers what was shown: shared by the app and its extension, by threads and by processes, correct after a kill at
/// any byte (protocol v1, rules 23 to 27). Synchronous: the lock on its file is never held across a suspension.
///
/// A loss of power may forget the last second: what was claimed and committed in it, and, where an id's place was given
/// to another one in it, the floor that stands for the id. A process that was suspended within a second of its last
/// write leaves that to the system's own writing back, unless it called `synchronize`.
package final class ReplayWindow: Sendable {
    private let core: Guarded<WindowCore>
    private let file: WindowFile
    private let background: BackgroundSync
    private let uptime: @Sendable () -> Uptime

    package enum IfMissing: Sendable {
        /// The app: a missing or damaged file is replaced by an empty one with a new id, which the key ring tells from
        /// the old one.
        case create
        /// The extension.
        case refuse
    }

    /// - Parameters:
    ///   - folder: is there; the file in it is called `replay-window-1` and should be excluded from backups.
    ///   - ifMissing: whether to make a new file.
    ///   - random: for the new file's id and salt.
    ///   - uptime: the device's; it is read under the file's lock, so that what a later claim reads is later.
    /// - Throws: `.missing` and `.damaged` for `.refuse` only; `.locked`, `.full`, `.system`.
    package convenience init(
        folder: String,
        ifMissing: IfMissing,
        random: inout some RandomSource,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) {
        do {
            try self.init(folder: folder, onWrite: nil, uptime: uptime)
        } catch {
            guard ifMissing == .create, error == .missing || error == .damaged else { throw error }
            let identity = WindowIdentity(id: random.bytes(count: 16), salt: random.bytes(count: 16))
            try WindowCreation.create(in: folder, identity: identity, existing: .keepIfIntact)
            try self.init(folder: folder, onWrite: nil, uptime: uptime)
        }
    }

    /// The extension's: opens what is there, and never makes a window.
    package convenience init(
        folder: String,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) {
        try self.init(folder: folder, onWrite: nil, uptime: uptime)
    }

    /// Opens what is there.
    init(
        folder: String,
        onWrite: WindowFile.WriteObserver?,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) {
        let file = try WindowFile(path: folder + "/" + WindowLayout.name, onWrite: onWrite)
        let core = try file.withLock { () throws(ReplayWindowError) in try WindowCore(file: file, uptime: uptime()) }
        self.file = file
        self.uptime = uptime
        self.core = Guarded(core)
        background = BackgroundSync { () throws(ReplayWindowError) in try file.synchronize() }
    }

    /// Puts an empty window with a new id in the place of whatever is there: for the app, when any operation said
    /// `.damaged` or `.missing`. Windows that are open say `.missing` from then on.
    package static func replace(
        folder: String,
        random: inout some RandomSource,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) -> ReplayWindow {
        let identity = WindowIdentity(id: random.bytes(count: 16), salt: random.bytes(count: 16))
        try WindowCreation.create(in: folder, identity: identity, existing: .replace)
        return try ReplayWindow(folder: folder, onWrite: nil, uptime: uptime)
    }

    /// As of the last operation of this object.
    package var store: StoreID { core.withLock { $0.store } }

    /// Raises the generation by one: the app does so together with the key ring's copy, so that a restored older file is
    /// told from this one (protocol v1, rule 15). On disk when it returns.
    package func advanceGeneration() throws(ReplayWindowError) -> StoreID {
        let store = try perform { core throws(ReplayWindowError) in
            try core.advanceGeneration()
        }
        try synchronize()
        return store
    }

    /// What is known of the time. The build date is the caller's to add.
    package func time() throws(ReplayWindowError) -> KnownTime {
        try perform { core throws(ReplayWindowError) in
            let time = core.header.time
            return KnownTime(
                lowerBound: Timestamp(milliseconds: time.bound),
                isConfirmed: time.isConfirmed,
                lastConfirmed: time.confirmed > 0 ? Timestamp(milliseconds: time.confirmed) : nil
            )
        }
    }

    /// The time is this one, by a source that the app believes; what was believed before counts no more. On disk when it
    /// returns.
    package func confirm(_ time: Timestamp) throws(ReplayWindowError) {
        let uptime = uptime
        try perform { core throws(ReplayWindowError) in core.header.time.confirm(time.milliseconds, at: uptime()) }
        try synchronize()
    }

    /// Call it after signature and times were checked (protocol v1, rule 23), and for pinned senders only: who can make
    /// keys could otherwise fill the table of senders.
    ///
    /// - Parameter stamp: of the verified message.
    /// - Returns: `.tooOld` also for times that rule 25 refuses: expiry not after sent-at, or by more than 30 days.
    /// - Throws: any `ReplayWindowError`: then the id is not to be shown as new, and may or may not be claimed.
    package func claim(_ stamp: MessageStamp) throws(ReplayWindowError) -> ClaimVerdict {
        try perform { core throws(ReplayWindowError) in try core.claim(stamp) }
    }

    /// A Web Push record has neither a sender nor times, so its quota is one for all of them, and no floor keeps out what
    /// was forgotten: a record comes back as new once some 4,000 others came after it.
    package func claim(webPush key: ReplayKey) throws(ReplayWindowError) -> ClaimVerdict {
        try perform { core throws(ReplayWindowError) in try core.claim(webPush: key) }
    }

    /// Done: the content was handed over. Harmless when repeated, or when the id was evicted meanwhile.
    package func commit(_ claim: ReplayClaim) throws(ReplayWindowError) {
        try perform { core throws(ReplayWindowError) in try core.commit(claim) }
    }

    /// Where a change stands among those to the same target (protocol v1, rule 27). Asking again gives the same answer.
    ///
    /// - Parameter change: of a verified and claimed message.
    /// - Returns: `.newest` if it is to be carried out.
    /// - Throws: any `ReplayWindowError`: then it is not to be carried out.
    package func order(_ change: OrderedChange) throws(ReplayWindowError) -> OrderVerdict {
        try perform { core throws(ReplayWindowError) in try core.order(change) }
    }

    /// Forces everything to disk. For the end of the extension's work, not for the path of a check.
    package func synchronize() throws(ReplayWindowError) { try file.synchronize() }

    /// Of one sender, for tests and measurements: what it has, as the window counts it.
    func row(of sender: SenderKey) throws(ReplayWindowError) -> SenderRow? {
        try perform { core throws(ReplayWindowError) in try core.row(of: sender) }
    }

    func perform<Result: Sendable>(
        _ body: (inout WindowCore) throws(ReplayWindowError) -> Result
    ) throws(ReplayWindowError) -> Result {
        try background.checkFailure()
        let (result, hasWritten) = try core.withLock { core throws(ReplayWindowError) in
            try file.withLock { () throws(ReplayWindowError) in
                try core.begin(at: uptime())
                let result = try body(&core)
                try core.finish()
                return (result, core.hasWritten)
            }
        }
        if hasWritten { background.noteWrite() }
        return result
    }
}
