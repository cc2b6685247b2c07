package import APNS
package import Envelope

/// A tenant's submission, stored whole or not at all.
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

/// The identity of a repeated request.
package struct Idempotency: Hashable, Sendable {
    package static let keyByteCounts = 1...255
    package static let digestByteCounts = 32...32

    /// The tenant's choice; any bytes.
    package let key: [UInt8]
    /// 32 bytes over the whole request: the same key with another digest is a conflict.
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
    /// The same for every attempt.
    package var apnsID: APNSID
    package var collapseID: CollapseID?
    package var lane: Lane
    package var pushType: PushType
    package var priority: Priority?
    package var expiration: Expiration?
    /// From this time on it is not sent, and ends as expired.
    package var deadline: Timestamp
    /// nil for no limit but the deadline.
    package var attemptLimit: Int?
    package var payload: [UInt8]
    package var trace: Trace?
    /// 32 bytes of the receipt capability's hash; nil: no receipt is expected. Of entries with one hash, the newest
    /// gets the receipt.
    package var receiptHash: [UInt8]?
    /// Time from acceptance to the fallback, unless a receipt comes; in milliseconds. nil for none.
    package var fallbackAfter: Duration?
    /// Requests a hook for its tenant when it ends.
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

package enum EnqueueResult: Equatable, Sendable {
    /// On the disk: one id for each entry, in order.
    case stored([EntryID])
    /// Stored before; the ids of then.
    case duplicate([EntryID])
    /// The key belongs to another request.
    case conflict
}

/// The result of a request to be sent at once.
package enum SendingResult: Equatable, Sendable {
    /// On the disk as sending: one lease for each entry, in order. Each may be sent now.
    case sending([Lease])
    /// Stored before; the ids of then. This caller may send none of them.
    case duplicate([EntryID])
    /// The key belongs to another request.
    case conflict
}
