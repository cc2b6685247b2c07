import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A loss of power: all or part of what was not synced is missing from the file.
struct PowerLossTests {
    /// Runs a store until a given operation of its disk.
    ///
    /// - Returns: faults of what is left.
    private func life(
        _ synchronous: StoreSettings.Synchronous,
        seed: UInt64,
        percentKept: Int,
        handOverPercent: Int = 33,
        path: String,
        ledger: Guarded<WorkLedger>
    ) async throws -> [String] {
        var random = SeededRandom(seed: seed)
        let disk = try FaultyDisk()
        let store = try disk.open(path, synchronous: synchronous)
        // Somewhere after the opening.
        let operation = disk.operationCount + Int.random(in: 1...300, using: &random)
        disk.losePower(at: operation, percentKept: percentKept, seed: seed)
        let lines = Guarded<[WorkLine]>([])
        let work = StoreWork(store, seed: seed, handOverPercent: handOverPercent) { line in
            lines.withLock { $0.append(line) }
        }
        let errors = await work.run()
        #expect(disk.hasLostPower && !errors.isEmpty)
        await store.close()
        let said = lines.withLock { $0 }
        var now = ledger.withLock { $0 }
        for line in said { try now.note(line) }
        let next = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        var faults = try await now.check(next, all: true)
        faults += try await next.integrityReport()
        await next.close()
        let after = now
        ledger.withLock { $0 = after }
        return faults
    }

    @Test(arguments: [0, 50], [33, 100])
    func `what was acknowledged outlives any loss of power`(_ percentKept: Int, _ handOverPercent: Int) async throws {
        let folder = try TemporaryFolder()
        let ledger = Guarded(WorkLedger())
        let rounds = UInt64(Rounds.count(6))
        var seed: UInt64 = 0
        // The number acknowledged before a disk operation depends on the threads' timing, too.
        while seed < rounds || seed < 10 * rounds && ledger.withLock({ $0.storedCount }) <= 20 {
            seed += 1
            let faults = try await life(
                .full,
                seed: seed << 16 | UInt64(handOverPercent << 8 | percentKept),
                percentKept: percentKept,
                handOverPercent: handOverPercent,
                path: folder.path("store"),
                ledger: ledger
            )
            #expect(faults.prefix(5) == [], "seed \(seed)")
        }
        #expect(ledger.withLock { $0.storedCount } > 20)
    }

    @Test(arguments: [0, 100])
    func `a store that does not wait for the disk is found out`(_ handOverPercent: Int) async throws {
        var caught = 0
        // As above: more rounds, until an acknowledged entry was lost.
        for seed in 1...60 as ClosedRange<UInt64> where seed <= 6 || caught == 0 {
            // A file that is wholly broken counts as found out too.
            let folder = try TemporaryFolder()
            let ledger = Guarded(WorkLedger())
            do {
                let faults = try await life(
                    .off,
                    seed: seed,
                    percentKept: 0,
                    handOverPercent: handOverPercent,
                    path: folder.path("store"),
                    ledger: ledger
                )
                if handOverPercent == 100 {
                    #expect(faults.allSatisfy { !$0.hasPrefix("lost") || $0.contains("handed over") })
                }
                if faults.contains(where: { $0.hasPrefix("lost") }) { caught += 1 }
            } catch is StoreError {
                caught += 1
            }
        }
        #expect(caught > 0)
    }

    @Test func `a migration that loses power leaves a store of some version`() async throws {
        for operation in 1...40 {
            let folder = try TemporaryFolder()
            let path = folder.path("store")
            let disk = try FaultyDisk()
            disk.losePower(at: operation)
            do {
                let store = try disk.open(path)
                await store.close()
            } catch is StoreError {}
            let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
            #expect(try await store.store(try StorePattern.entry(1)).count == 1, "operation \(operation)")
            #expect(try await store.integrityReport() == [])
            await store.close()
        }
    }
}

enum Rounds {
    /// SEALEDPUSH_STORE_ROUNDS, or a number that a test run has time for.
    static func count(_ short: Int) -> Int {
        guard let text = unsafe getenv("SEALEDPUSH_STORE_ROUNDS"), let count = Int(unsafe String(cString: text)) else {
            return short
        }
        return max(count, 1)
    }

    static var isLong: Bool { unsafe getenv("SEALEDPUSH_STORE_ROUNDS") != nil }
}
