import Envelope
import Foundation
import Keys
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// The app and its extension at one window, and either of them killed.
struct ProcessTests {
    private let site: Window

    init() throws { site = try Window() }

    @Test func `two processes of four threads each are given every id once (abuse case 43)`() throws {
        let seed = RunSeed.here() >> 4
        let count = 500
        let probes = try (0..<2).map {
            try Probe.start("race", site.folder.path, "\(seed + UInt64($0) * 10)", "\(count)")
        }
        var given: [Int: Int] = [:]
        for probe in probes {
            let lines = probe.rest().split(separator: "\n")
            #expect(lines.last == "end", "seed \(seed)")
            for line in lines.dropLast() {
                let words = line.split(separator: " ")
                #expect(words.first == "new", "\(line), seed \(seed)")
                given[try #require(Int(words[1])), default: 0] += 1
            }
        }
        #expect(given.count == count && given.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        for number in 0..<UInt64(count) {
            let stamp = ProbeMessages.stamp(number, from: ProbeMessages.sender(1))
            #expect(try site.window.claim(stamp, now: now) == .replay, "\(number), seed \(seed)")
        }
        #expect(try site.window.row(of: alice)?.count == count)
    }

    @Test
    func
        `after any of 120 kills nothing that was certain is new, and no floor has fallen (protocol v1, rules 24 and 26)`()
        throws
    {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let window = site.window
        // Near the quota, so that sweeps and evictions are killed too.
        var next: UInt64 = 0
        while next < 7_000 {
            _ = try window.claim(ProbeMessages.stamp(next, from: [alice, bob][Int(next % 2)]), now: now)
            next += 1
        }
        var floors: [UInt64] = [0, 0]
        var claimed: [UInt64] = []
        var done: [UInt64] = []
        for round in 0..<120 {
            let probe = try Probe.start("stream", site.folder.path, "\(next)")
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let words = (probe.line() ?? "").split(separator: " ")
                let number = try #require(words.last.flatMap { UInt64($0) }, "round \(round), seed \(seed)")
                if words[0] == "claimed" { claimed.append(number) } else { done.append(number) }
                #expect(words[0] == "claimed" || words[0] == "done", "\(words), round \(round), seed \(seed)")
                next = number + 1
            }
            // Somewhere in the middle of its next work.
            var turns = Int.random(in: 0..<30_000, using: &random)
            while turns > 0 { turns -= 1 }
            probe.kill()
            for line in probe.rest().split(separator: "\n") {
                guard let number = line.split(separator: " ").last.flatMap({ UInt64($0) }) else { continue }
                // The last line may be cut off.
                if line.hasPrefix("claimed ") { next = max(next, number + 1) }
            }
            try check(claimed.suffix(80), done.suffix(80), &floors, "round \(round), seed \(seed)")
            // Ids that it may have been working on are skipped, printed or not.
            next += 8
        }
        try check(claimed[...], done[...], &floors, "at the end, seed \(seed)")
        // Sweeps and evictions did happen.
        #expect(floors[0] > 0 && floors[1] > 0, "seed \(seed)")
    }

    private func check(
        _ claimed: ArraySlice<UInt64>,
        _ done: ArraySlice<UInt64>,
        _ floors: inout [UInt64],
        _ what: Comment
    ) throws {
        let window = try site.reopened()
        let senders = [alice, bob]
        for number in claimed {
            let stamp = ProbeMessages.stamp(number, from: senders[Int(number % 2)])
            #expect(try !window.claim(stamp, now: now).isNew, what)
        }
        for number in done {
            let stamp = ProbeMessages.stamp(number, from: senders[Int(number % 2)])
            let verdict = try window.claim(stamp, now: now + 36_000)
            #expect(verdict == .replay || verdict == .tooOld, what)
        }
        for index in 0...1 {
            let row = try #require(try window.row(of: senders[index]))
            #expect(row.floor >= floors[index] && row.count <= WindowLayout.quota, what)
            floors[index] = row.floor
        }
    }
}
