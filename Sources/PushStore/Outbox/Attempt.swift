package import Envelope

/// One try at sending, with its result.
package struct Attempt: Equatable, Sendable {
    package enum Connection: UInt8, CaseIterable, Sendable {
        /// APNs answered.
        case answered = 0
        /// Push certainly not gone out, or not processed.
        case notProcessed = 1
        /// Push gone out, its fate unknown.
        case ambiguous = 2
        /// As ambiguous: the process ended meanwhile; found at the next start.
        case interrupted = 3
    }

    package var isOutcomeUnknown: Bool { connection == .ambiguous || connection == .interrupted }

    /// Bound of reason and apns-unique-id.
    package static let textByteCountMax = 64
    /// Last attempts kept besides the first.
    package static let lastCountMax = 32

    package let time: Timestamp
    package let connection: Connection
    /// HTTP status; nil without an answer.
    package let status: Int?
    /// Printable ASCII, cut to `textByteCountMax`; nil for none.
    package let reason: String?
    /// `apns-unique-id`, in the same form.
    package let uniqueID: String?

    package init(
        time: Timestamp,
        connection: Connection,
        status: Int? = nil,
        reason: String? = nil,
        uniqueID: String? = nil
    ) {
        self.time = time
        self.connection = connection
        self.status = status.flatMap { (100...999).contains($0) ? $0 : nil }
        self.reason = reason.map(Self.presentable)
        self.uniqueID = uniqueID.map(Self.presentable)
    }

    private static func isPresentable(_ text: Span<UInt8>) -> Bool {
        guard text.count <= textByteCountMax else { return false }
        for index in text.indices where text[index] < 0x20 || text[index] > 0x7E { return false }
        return true
    }

    /// Cleans untrusted text for logs and pages.
    private static func presentable(_ text: String) -> String {
        // The common case.
        if isPresentable(text.utf8.span) { return text }
        return String(
            decoding: text.utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(textByteCountMax),
            as: UTF8.self
        )
    }
}

/// Sender's reading of an attempt.
package enum Verdict: Equatable, Sendable {
    /// APNs accepted it.
    case accepted
    /// Retry from this time on. An ambiguous attempt sets `maybeDuplicate`.
    case retry(at: Timestamp)
    /// Wait for `release`.
    case park
    /// Give up.
    case dead(DeathReason)

    fileprivate var isWait: Bool {
        switch self {
        case .retry, .park: true
        case .accepted, .dead: false
        }
    }
}

package struct Outcome: Equatable, Sendable {
    package let lease: Lease
    /// nil if nothing was written to APNs: a deferral that counts as no attempt.
    package let attempt: Attempt?
    /// Immediate retries before it; nearly always none.
    package let earlier: [Attempt]
    package let verdict: Verdict
    package let waitCause: WaitCause?
    /// False if never marked: one transaction marks and ends it, so that no crash finds it in flight.
    package let isMarked: Bool

    /// - Parameter attempt: nil only with `.retry` and `.park`.
    package init(
        lease: Lease,
        attempt: Attempt?,
        earlier: [Attempt] = [],
        verdict: Verdict,
        waitCause: WaitCause? = nil,
        isMarked: Bool = true
    ) {
        precondition(attempt != nil || verdict.isWait && earlier.isEmpty)
        self.lease = lease
        self.attempt = attempt
        self.earlier = earlier
        self.verdict = verdict
        self.waitCause = attempt == nil ? waitCause : nil
        self.isMarked = isMarked
    }
}

package enum FinishResult: Equatable, Sendable {
    /// Recorded; the entry's new state.
    case recorded(EntryState)
    /// Not sending (finished, or never marked) and unchanged; its state.
    case notSending(EntryState)
    /// Unchanged: another relay owns its shard, and has settled it.
    case lateOwner
    case unknown
}
