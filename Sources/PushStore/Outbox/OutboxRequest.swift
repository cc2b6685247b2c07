package import APNS
package import Envelope

/// Submission. Its entries of one shard are stored all or none.
package struct OutboxRequest: Sendable {
    package static let entryCounts = 1...1_000

    package let tenant: TenantID
    /// nil if it may be stored twice.
    package let idempotency: Idempotency?
    package let entries: [NewEntry]
    /// Caller's record of recipients without an entry, for a repetition; empty for none.
    package let rejected: [UInt8]
    /// Each entry's place in the request, rising; nil: its index.
    private let places: [Int]?

    /// - Parameter places: of the recipients, if some have no entry. A repetition stores no place twice.
    /// - Throws: `.byteCount(field: .entries)`.
    package init(
        tenant: TenantID,
        idempotency: Idempotency?,
        entries: [NewEntry],
        rejected: [UInt8] = [],
        places: [Int]? = nil
    ) throws(StoreError) {
        precondition(places.map { $0.count == entries.count } ?? true)
        guard Self.entryCounts.contains(entries.count) else {
            throw .byteCount(field: .entries, of: Self.entryCounts)
        }
        self.tenant = tenant
        self.idempotency = idempotency
        self.entries = entries
        self.rejected = rejected
        self.places = places
    }

    package func place(_ index: Int) -> Int { places?[index] ?? index }
}

/// Identity of a repeated request.
package struct Idempotency: Hashable, Sendable {
    package static let keyByteCounts = 1...255
    package static let digestByteCounts = 32...32

    /// Tenant's choice; any bytes.
    package let key: [UInt8]
    /// 32 bytes over the whole request; another digest under the same key is a conflict.
    package let digest: [UInt8]

    /// - Throws: `.byteCount`.
    package init(key: [UInt8], digest: [UInt8]) throws(StoreError) {
        guard Self.keyByteCounts.contains(key.count) else {
            throw .byteCount(field: .idempotencyKey, of: Self.keyByteCounts)
        }
        guard Self.digestByteCounts.contains(digest.count) else {
            throw .byteCount(field: .requestDigest, of: Self.digestByteCounts)
        }
        self.key = key
        self.digest = digest
    }
}

package struct NewEntry: Equatable, Sendable {
    /// Apple's largest payload is 5,120 bytes (VoIP).
    package static let payloadByteCounts = 0...8_192
    package static let receiptHashByteCounts = 32...32

    package var device: DeviceID
    package var topic: Topic
    package var apnsID: APNSID
    package var collapseID: CollapseID?
    package var lane: Lane
    package var pushType: PushType
    package var priority: Priority?
    package var expiration: Expiration?
    /// From then on it is not sent, and expires.
    package var deadline: Timestamp
    /// nil: bounded by the deadline only.
    package var attemptLimit: Int?
    package var payload: [UInt8]
    package var trace: Trace?
    package var traceContext: TraceContext?
    /// 32 bytes, for an expected receipt. The newest of several entries with one hash gets it.
    package var receiptHash: [UInt8]?
    /// Delay after acceptance, in milliseconds, unless a receipt comes; nil for no fallback.
    package var fallbackAfter: Duration?
    /// Requests a hook at its end.
    package var isReported: Bool
    /// As an entry's.
    package var purpose: TokenPurpose?

    package init(
        device: DeviceID,
        topic: Topic,
        apnsID: APNSID,
        collapseID: CollapseID? = nil,
        lane: Lane,
        pushType: PushType,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        deadline: Timestamp,
        attemptLimit: Int? = nil,
        payload: [UInt8],
        trace: Trace? = nil,
        traceContext: TraceContext? = nil,
        receiptHash: [UInt8]? = nil,
        fallbackAfter: Duration? = nil,
        isReported: Bool = false,
        purpose: TokenPurpose? = nil
    ) {
        self.device = device
        self.topic = topic
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.lane = lane
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.deadline = deadline
        self.attemptLimit = attemptLimit
        self.payload = payload
        self.trace = trace
        self.traceContext = traceContext
        self.receiptHash = receiptHash
        self.fallbackAfter = fallbackAfter
        self.isReported = isReported
        self.purpose = purpose
    }

    package var isWatched: Bool { receiptHash != nil || fallbackAfter != nil || isReported }

    /// - Throws: `.byteCount`.
    package func check() throws(StoreError) {
        guard Self.payloadByteCounts.contains(payload.count) else {
            throw .byteCount(field: .payload, of: Self.payloadByteCounts)
        }
        guard Self.receiptHashByteCounts.contains(receiptHash?.count ?? Self.receiptHashByteCounts.lowerBound) else {
            throw .byteCount(field: .receiptHash, of: Self.receiptHashByteCounts)
        }
    }
}

package enum EnqueueResult: Equatable, Sendable {
    /// On the disk: one id for each entry, in order.
    case stored([EntryID])
    /// Stored before; the ids of then.
    case duplicate([EntryID])
    /// On the disk: some were stored before. All ids, in order, and the indices of entries that this call stored.
    case completed([EntryID], new: [Int])
    /// An error came between two shards, of this call or (nil) an earlier one. Ids of the stored entries, in order, and
    /// the indices of those that this call stored. The same key stores the rest.
    case cut([EntryID], new: [Int], error: StoreError?)
    /// Key of another request.
    case conflict
}

package enum SendingResult: Equatable, Sendable {
    /// On the disk as sending: one lease for each entry, in order, to be sent now.
    case sending([Lease])
    /// As of `enqueue`: another relay owns one of their shards, or it is a repetition.
    case enqueued(EnqueueResult)
}
