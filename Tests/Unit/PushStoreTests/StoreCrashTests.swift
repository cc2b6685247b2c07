import PushStore
import PushStorePattern
import PushStoreProbe
import TestSupport
import Testing

/// A process with a real file, killed at work.
///
///     SEALEDPUSH_STORE_ROUNDS=1000 … --filter StoreCrashTests
struct StoreCrashTests {
    @Test
    func `after any kill what was acknowledged is there, and only what was in flight is in doubt (abuse case 95)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path("store")
        let rounds = Rounds.count(20)
        var ledger = WorkLedger()
        var random = SeededRandom(seed: 20_261_101)
        var round = 0
        // The kill's place is random, and depends on the machine: more rounds until each kind was there, up to a limit.
        while round < rounds || round < 10 * rounds && !Self.hasEveryKind(ledger) {
            round += 1
            let probe = try LineProcess(
                LineProcess.path(of: "PushStoreProbe"),
                // Only hand-overs in every other round.
                ["work", path, "\(random.next() >> 40)", round % 2 == 0 ? "100" : "33"]
            )
            // Somewhere in its life: after so many lines, and then at any instruction.
            var left = Int.random(in: 1...400, using: &random)
            while left > 0, let line = probe.line() {
                try note(line, in: &ledger)
                left -= 1
            }
            var turns = Int.random(in: 0..<100_000, using: &random)
            while turns > 0 { turns -= 1 }
            probe.kill()
            for line in probe.rest().split(separator: "\n") { try note(String(line), in: &ledger) }
            let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
            let faults = try await ledger.check(store, all: round >= rounds || round % 100 == 0)
            #expect(faults.prefix(5) == [], "round \(round)")
            if round >= rounds { #expect(try await store.integrityReport() == []) }
            await store.close()
            if !faults.isEmpty { break }
        }
        #expect(ledger.storedCount > rounds)
        #expect(Self.hasEveryKind(ledger), "kills land between a mark, or a hand-over, and the answer")
        if Rounds.isLong { report(ledger) }
    }

    private static func hasEveryKind(_ ledger: WorkLedger) -> Bool {
        let sendingCount = (ledger.histogram["sending"] ?? 0) + (ledger.histogram["accepted or sending"] ?? 0)
        return sendingCount > 0 && ledger.handedOverInFlightCount > 0
    }

    private func note(_ line: String, in ledger: inout WorkLedger) throws {
        if line.hasPrefix("failed") { throw ProbeFailure(line: line) }
        if let line = WorkLine(text: line[...]) { try ledger.note(line) }
    }

    private func report(_ ledger: WorkLedger) {
        print("\(ledger.handedOverInFlightCount)\thanded over, and without an answer")
        for (state, count) in ledger.histogram.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(state)") }
    }
}

private struct ProbeFailure: Error {
    let line: String
}
