import APNS
import Envelope
import Primitives
import PushStore
import PushStorePattern
import TestSupport

/// The cost of a capability lookup, among so many entries that wait for a receipt each.
enum ReceiptBench {
    private static let batchCount = 1_000
    private static let lookupCount = 20_000

    static func run(path: String, count: Int) async throws {
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        var random = SeededRandom(seed: 0x5265_6365_6970_7473)
        let tenant = try StorePattern.tenant(1)
        var newest: [[UInt8]] = []
        try await StoreBench.measure("enqueue of \(count), \(batchCount) in a request", count) {
            for start in stride(from: 0, to: count, by: batchCount) {
                newest = []
                let now = StorePattern.start.advanced(by: .milliseconds(Int64(start / 20)))
                let entries = try (0..<batchCount).map { _ in
                    newest.append(random.bytes(count: 32))
                    return NewEntry(
                        device: try StorePattern.device(Int(random.next() % 1_000_000)),
                        topic: try StorePattern.topic(),
                        apnsID: .timeOrdered(now: now, random: &random),
                        lane: .normal,
                        pushType: .alert,
                        deadline: StorePattern.start.advanced(by: .seconds(86_400)),
                        payload: [],
                        receiptHash: newest.last
                    )
                }
                _ = try await store.enqueue(
                    [try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)],
                    now: now
                )
            }
        }
        for size in [1, 64] {
            try await StoreBench.measure("look for a hash that is nobody's, \(size) at once", lookupCount) {
                for _ in 0..<lookupCount / size {
                    let hashes = (0..<size).map { _ in random.bytes(count: 32) }
                    _ = try await store.redeem(hashes, now: StorePattern.start)
                }
            }
        }
        // Entries that were never sent: the lookup is the same, and the writer refuses it.
        try await StoreBench.measure("look for a new entry's hash, \(newest.count) at once", newest.count) {
            _ = try await store.redeem(newest, now: StorePattern.start)
        }
        await store.close()
    }
}
