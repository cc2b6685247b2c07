package import Envelope

/// One try at sending, and what became of it.
package struct Attempt: Equatable, Sendable {
    /// What the connection did.
    package enum Connection: UInt8, CaseIterable, Sendable {
        /// There is an answer.
        case answered = 0
        /// The push certainly did not go out, or was not processed.
        case notProcessed = 1
        /// It went out, and nobody knows what became of it.
        case ambiguous = 2
        /// This process ended while it was on its way: as ambiguous, and found out at the next start.
        case interrupted = 3
    }

    /// Whether APNs may have acted on it.
    package var isOutcomeUnknown: Bool { connection == .ambiguous || connection == .interrupted }

    /// Of what is kept of a reason and of an apns-unique-id.
    package static let textByteCountMax = 64
    /// Of an entry's attempts the first is kept, and so many of the last.
    package static let lastCountMax = 32

    package let time: Timestamp
    package let connection: Connection
    /// HTTP's; nil without an answer.
    package let status: Int?
    /// As APNs or the client spells it, printable ASCII, cut to `textByteCountMax`; nil for none.
    package let reason: String?
    /// `apns-unique-id`, in the same way.
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

    /// It came from a stranger and goes into logs and pages.
    private static func presentable(_ text: String) -> String {
        // As nearly all are.
        if isPresentable(text.utf8.span) { return text }
        return String(
            decoding: text.utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(textByteCountMax),
            as: UTF8.self
        )
    }
}

/// What an attempt means for the notification: the sender's reading of APNs's decision table.
package enum Verdict: Equatable, Sendable {
    /// APNs has taken it.
    case accepted
    /// Again, from this time on. Where an attempt was ambiguous, the entry says so from then on.
    case retry(at: Timestamp)
    /// Not before `release`.
    case park
    /// Never again.
    case dead(DeathReason)

    fileprivate var isWait: Bool {
        switch self {
        case .retry, .park: true
        case .accepted, .dead: false
        }
    }
}

/// The end of an attempt, or of what was to be one.
package struct Outcome: Equatable, Sendable {
    package let lease: Lease
    /// The one that decided. nil: nothing was written to APNs. Then it is only put off or parked, and that counts as no
    /// attempt.
    package let attempt: Attempt?
    /// Those before it, where the client sent it again at once; of nearly all none.
    package let earlier: [Attempt]
    package let verdict: Verdict
    /// What an entry without an attempt waits for.
    package let waitCause: WaitCause?
    /// Whether its lease was marked; false: one transaction marks and ends it, so that no crash finds it on its way.
    package let isMarked: Bool

    /// - Parameters:
    ///   - lease: of an entry that is on its way.
    ///   - attempt: nil only with `.retry` and `.park`.
    ///   - earlier: those before `attempt`, in their order.
    ///   - verdict: what becomes of the entry.
    ///   - waitCause: where nothing was written.
    ///   - isMarked: whether the lease was marked.
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

/// What became of an outcome that was handed in.
package enum FinishResult: Equatable, Sendable {
    /// The attempt is written down, and the entry is now this.
    case recorded(EntryState)
    /// It was not on its way (finished already, or never marked): nothing has changed. The state it is in.
    case notSending(EntryState)
    /// There is no such entry.
    case unknown
}
