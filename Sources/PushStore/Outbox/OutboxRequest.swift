package import APNS
package import Envelope

/// What a tenant hands over at once. All of it is accepted, or nothing.
package struct OutboxRequest: Sendable {
    package static let entryCounts = 1...1_000

    package let tenant: TenantID
    /// nil for a request that may be stored twice.
    package let idempotency: Idempotency?
    package let entries: [NewEntry]

    /// - Throws: `.byteCount(field: .entries)` for a count outside `entryCounts`.
    package init(tenant: TenantID, idempotency: Idempotency?, entries: [NewEntry]) throws(StoreError) {
        guard Self.entryCounts.contains(entries.count) else {
            throw .byteCount(field: .entries, of: Self.entryCounts)
        }
        self.tenant = tenant
        self.idempotency = idempotency
        self.entries = entries
    }
}

/// By which a request that comes again is known.
package struct Idempotency: Hashable, Sendable {
    package static let keyByteCounts = 1...255
    package static let digestByteCounts = 32...32

    /// The tenant's own, of any bytes.
    package let key: [UInt8]
    /// 32 bytes, of everything that the request asked for: the same key with another digest is a conflict.
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

/// One notification to one device.
package struct NewEntry: Equatable, Sendable {
    /// Apple's largest payload is 5,120 bytes (VoIP).
    package static let payloadByteCounts = 0...8_192
    package static let receiptHashByteCounts = 32...32

    package var device: DeviceID
    package var topic: Topic
    /// Also of every repetition.
    package var apnsID: APNSID
    package var collapseID: CollapseID?
    package var lane: Lane
    package var pushType: PushType
    /// `apns-priority`; nil for none.
    package var priority: Priority?
    /// `apns-expiration`; nil for none.
    package var expiration: Expiration?
    /// When its time is over: from then on it is not sent, and ends as expired.
    package var deadline: Timestamp
    /// How often it may be tried; nil for as often as there is time.
    package var attemptLimit: Int?
    package var payload: [UInt8]
    package var trace: Trace?
    /// Of what its device shows when it has it: 32 bytes; nil: no receipt is waited for. Of several entries with one hash
    /// the newest gets the receipt.
    package var receiptHash: [UInt8]?
    /// So long after APNs took it a fallback is due, unless a receipt came; nil for none. Counted in milliseconds.
    package var fallbackAfter: Duration?
    /// Whether its tenant is told how it ended, by a hook.
    package var isReported: Bool

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
        receiptHash: [UInt8]? = nil,
        fallbackAfter: Duration? = nil,
        isReported: Bool = false
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
        self.receiptHash = receiptHash
        self.fallbackAfter = fallbackAfter
        self.isReported = isReported
    }

    /// Whether somebody waits for something about it.
    var isWatched: Bool { receiptHash != nil || fallbackAfter != nil || isReported }

    /// - Throws: `.byteCount`.
    func check() throws(StoreError) {
        guard Self.payloadByteCounts.contains(payload.count) else {
            throw .byteCount(field: .payload, of: Self.payloadByteCounts)
        }
        guard Self.receiptHashByteCounts.contains(receiptHash?.count ?? Self.receiptHashByteCounts.lowerBound) else {
            throw .byteCount(field: .receiptHash, of: Self.receiptHashByteCounts)
        }
    }
}

/// What became of a request.
package enum EnqueueResult: Equatable, Sendable {
    /// On the disk: one id for each entry, in their order.
    case stored([EntryID])
    /// It was there already; the ids of then.
    case duplicate([EntryID])
    /// The key belongs to another request.
    case conflict
}

/// What became of a request that is to be sent at once.
package enum SendingResult: Equatable, Sendable {
    /// On the disk as on their way: one lease for each entry, in their order, and each may be sent now.
    case sending([Lease])
    /// It was there already; the ids of then. Nothing of it may be sent by this caller.
    case duplicate([EntryID])
    /// The key belongs to another request.
    case conflict
}
