import Envelope
import Glibc
import Platform
import PushStore
import PushStorePattern
import TestSupport

/// A process with a store, for tests that kill it and for measurements.
///
///     PushStoreProbe work FILE SEED [PERCENT]     works without end, and prints what was acknowledged; so many in a hundred
///                                                 requests are stored as in flight
///     PushStoreProbe hold FILE SEED               opens the store, says so and keeps it until standard input ends
///     PushStoreProbe bench FILE COUNT [BYTES [DEVICES]]     measures, beside the disk's own fsync
///     PushStoreProbe receipts FILE COUNT                    measures receipt lookups among so many
@main
enum PushStoreProbe {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count >= 4, let number = UInt64(words[3]) else { exit(2) }
        do {
            switch words[1] {
            case "work":
                let percent = words.count > 4 ? Int(words[4]) : nil
                try await work(words[2], seed: number, handOverPercent: percent ?? 33)
            case "hold": try await hold(words[2])
            case "receipts": try await ReceiptBench.run(path: words[2], count: Int(number))
            case "bench":
                let byteCount = words.count > 4 ? Int(words[4]) ?? 1_024 : 1_024
                let deviceCount = words.count > 5 ? Int(words[5]) ?? 0 : 0
                try await StoreBench.run(
                    path: words[2],
                    count: Int(number),
                    byteCount: byteCount,
                    deviceCount: deviceCount
                )
            default: exit(2)
            }
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private static func work(_ path: String, seed: UInt64, handOverPercent: Int) async throws {
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        say("opened \(store.openingReport.interruptedCount)")
        let work = StoreWork(store, seed: seed, handOverPercent: handOverPercent) { say($0.text + ".") }
        let errors = await work.run()
        say("failed \(errors)")
    }

    private static func hold(_ path: String) async throws {
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        say("opened \(store.openingReport.interruptedCount)")
        var byte: UInt8 = 0
        while unsafe read(STDIN_FILENO, &byte, 1) > 0 {}
        await store.close()
    }

    /// Writes one line in one call, so that lines of several threads stay whole and in order.
    static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { exit(1) }
    }
}
