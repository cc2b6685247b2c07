import Envelope
import Keys
import Opening
import Platform
import TestSupport

/// Four threads claim the same ids, each in its own order. Prints `new N` for each id that was new, then `end`.
struct ClaimRace {
    let folder: String
    let seed: UInt64
    let count: Int

    func run() throws(ReplayWindowError) {
        // The app made the window.
        var random = SeededRandom(seed: seed)
        let window = try ReplayWindow(folder: folder, ifMissing: .refuse, random: &random)
        let sender = ProbeMessages.sender(1)
        let results = Guarded<[String]>([])
        ProbeThreads.run(4) { number in
            var random = SeededRandom(seed: seed &+ UInt64(number))
            for id in (0..<count).shuffled(using: &random) {
                let stamp = ProbeMessages.stamp(UInt64(id), from: sender)
                do throws(ReplayWindowError) {
                    switch try window.claim(stamp) {
                    case .new(let claim):
                        results.withLock { $0.append("new \(id)") }
                        try window.commit(claim)
                    case .replay: break
                    case .reclaimed, .tooOld: results.withLock { $0.append("wrong \(id)") }
                    }
                } catch {
                    results.withLock { $0.append("failed \(error)") }
                }
            }
        }
        ProbeOutput.write(results.withLock { $0.joined(separator: "\n") } + "\nend\n")
    }
}
