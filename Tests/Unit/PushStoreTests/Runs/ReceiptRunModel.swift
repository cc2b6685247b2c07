import Envelope
import Primitives
import PushStorePattern
import TestSupport

@testable import PushStore

/// Entries of receipts in a dictionary, beside a store that has them in runs.
struct ReceiptRunModel: Sendable {
    private struct Known {
        let id: Int64
        let deadline: Int
        var isOver = false
    }

    var random: SeededRandom
    private(set) var highestLevel: Int64 = 0
    /// By hash, the oldest first.
    private var entries: [[UInt8]: [Known]] = [:]
    private var clock = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Stores entries: one in five has a hash that others have, one in ten has none.
    mutating func store(_ store: SQLiteStore, count: Int) async throws {
        clock += 1
        let deadlines = (0..<count).map { _ in clock + 5 + Int(random.next() % 400) }
        var hashes: [[UInt8]?] = []
        for _ in 0..<count {
            switch random.next() % 10 {
            case 0: hashes.append(nil)
            case 1, 2: hashes.append([UInt8](repeating: UInt8(random.next() % 100), count: 32))
            default: hashes.append(random.bytes(count: 32))
            }
        }
        let made = try zip(hashes, deadlines).map { hash, deadline in
            var entry = try StorePattern.entry(7, deadline: .after(deadline), byteCount: 0)
            entry.receiptHash = hash
            entry.trace = nil
            return entry
        }
        let request = try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: made)
        guard case .stored(let ids) = try await store.enqueue([request], now: .after(clock))[0] else {
            throw NotStored()
        }
        for (index, id) in ids.enumerated() {
            guard let hash = hashes[index] else { continue }
            entries[hash, default: []].append(Known(id: id.value, deadline: deadlines[index]))
        }
    }

    /// Commits empty transactions: a merge step follows each, if there is one to do.
    func commit(_ store: SQLiteStore, count: Int) async throws {
        for _ in 0..<count { try await store.write { _ throws(StoreError) in } }
    }

    mutating func expire(_ store: SQLiteStore) async throws {
        clock += Int(random.next() % 20)
        _ = try await store.expire(now: .after(clock), limit: .max)
        for hash in entries.keys {
            for index in entries[hash, default: []].indices where entries[hash]?[index].deadline ?? .max <= clock {
                entries[hash]?[index].isOver = true
            }
        }
    }

    mutating func purge(_ store: SQLiteStore) async throws {
        clock += 1
        _ = try await store.purge(endedBefore: .after(clock), limit: .max)
        for hash in entries.keys { entries[hash]?.removeAll { $0.isOver } }
    }

    /// - Returns: true if the store finds the model's entries, for some hashes or for all, and has each pair once.
    mutating func holds(_ store: SQLiteStore, all: Bool) async throws -> Bool {
        let number = random.next() % 16
        let hashes = entries.keys.filter { all || $0[0] % 16 == number } + [random.bytes(count: 32)]
        guard try await finds(hashes, in: store) else { return false }
        let runs = try await store.runs()
        highestLevel = max(highestLevel, runs.map(\.level).max() ?? 0)
        let pairs = try await store.chunks().flatMap { $0 }
        return Set(pairs.map(\.entry)).count == pairs.count
    }

    /// Checks all hashes until the runs are merged.
    func holdsUntilMerged(_ store: SQLiteStore) async throws -> Bool {
        while true {
            let isMerged = try await store.runs().count < 12
            guard try await finds(Array(entries.keys), in: store) else { return false }
            if isMerged { return true }
        }
    }

    private func finds(_ hashes: [[UInt8]], in store: SQLiteStore) async throws -> Bool {
        let findings = try await store.read { reader throws(StoreError) in try reader.claims(hashes) }
        return zip(hashes, findings).allSatisfy { hash, finding in
            let newest = entries[hash]?.last
            switch finding {
            case .claim(let claim): return newest.map { !$0.isOver && $0.id == claim.entry } ?? false
            case .settled(let redemption): return redemption == .unknown && newest?.isOver ?? true
            }
        }
    }
}
