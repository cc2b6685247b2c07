package import Envelope
import Keys
package import Platform
package import Primitives

/// Remembers shown messages for the app and its extension, across threads and processes, even after a kill at any byte
/// (protocol v1, rules 23 to 27). Synchronous: the file lock is never held across a suspension.
///
/// A loss of power may forget the last second: claims, commits, and floors that replaced ids. So may a suspension
/// within a second of the last write, without `synchronize`.
package final class ReplayWindow: Sendable {
    private let core: Guarded<WindowCore>
    private let file: WindowFile
    private let background: BackgroundSync
    private let uptime: @Sendable () -> Uptime

    package enum IfMissing: Sendable {
        /// The app: replaces a missing or damaged file by an empty one with a new id, which the key ring notices.
        case create
        /// The extension.
        case refuse
    }

    /// - Parameters:
    ///   - folder: exists; its file `replay-window-1` should be excluded from backups.
    ///   - uptime: read under the file's lock, so that it never falls.
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

    package convenience init(
        folder: String,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) {
        try self.init(folder: folder, onWrite: nil, uptime: uptime)
    }

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

    /// Replaces the window by an empty one with a new id, after `.damaged` or `.missing`. Open ones then throw
    /// `.missing`.
    package static func replace(
        folder: String,
        random: inout some RandomSource,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) throws(ReplayWindowError) -> ReplayWindow {
        let identity = WindowIdentity(id: random.bytes(count: 16), salt: random.bytes(count: 16))
        try WindowCreation.create(in: folder, identity: identity, existing: .replace)
        return try ReplayWindow(folder: folder, onWrite: nil, uptime: uptime)
    }

    /// As of the last operation.
    package var store: StoreID { core.withLock { $0.store } }

    /// Raises the generation, to detect a restored older file (protocol v1, rule 15). On disk when it returns.
    package func advanceGeneration() throws(ReplayWindowError) -> StoreID {
        let store = try perform { core throws(ReplayWindowError) in
            try core.advanceGeneration()
        }
        try synchronize()
        return store
    }

    /// Excludes the build date.
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

    /// Replaces all known times by a trusted one. On disk when it returns.
    package func confirm(_ time: Timestamp) throws(ReplayWindowError) {
        let uptime = uptime
        try perform { core throws(ReplayWindowError) in core.header.time.confirm(time.milliseconds, at: uptime()) }
        try synchronize()
    }

    /// Claims a message of a pinned sender after signature and times are checked (protocol v1, rule 23). Others could
    /// fill the table of senders.
    ///
    /// - Returns: `.tooOld` also for times that rule 25 refuses: expiry not after sent-at, or by more than 30 days.
    /// - Throws: any `ReplayWindowError`: do not show the message as new, claimed or not.
    package func claim(_ stamp: MessageStamp) throws(ReplayWindowError) -> ClaimVerdict {
        try perform { core throws(ReplayWindowError) in try core.claim(stamp) }
    }

    /// Claims a Web Push record. Without sender and times, all share one quota, and no floor: a record is new again
    /// after some 4,000 others.
    package func claim(webPush key: ReplayKey) throws(ReplayWindowError) -> ClaimVerdict {
        try perform { core throws(ReplayWindowError) in try core.claim(webPush: key) }
    }

    /// Marks the message as handed over; idempotent, also for evicted ids.
    package func commit(_ claim: ReplayClaim) throws(ReplayWindowError) {
        try perform { core throws(ReplayWindowError) in try core.commit(claim) }
    }

    /// Orders a verified and claimed change (protocol v1, rule 27); idempotent. Carry it out only for `.newest`.
    package func order(_ change: OrderedChange) throws(ReplayWindowError) -> OrderVerdict {
        try perform { core throws(ReplayWindowError) in try core.order(change) }
    }

    /// Forces everything to disk.
    package func synchronize() throws(ReplayWindowError) { try file.synchronize() }

    /// For tests.
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
