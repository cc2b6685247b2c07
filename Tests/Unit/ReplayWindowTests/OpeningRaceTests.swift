import Envelope
import Foundation
import Keys
import Opening
import Primitives
import ReplayWindowProbe
import Sealing
import TestSupport
import Testing

/// The app and its extension with the same push at the same moment, as two processes of the machine: sealed messages,
/// the opener, the window's file, the machine's uptime, and wall clocks that are up to 50 ms off. 3,000 rounds, or
/// SEALEDPUSH_RACE_ROUNDS.
struct OpeningRaceTests {
    private struct Round {
        var words: [String] = []
        var spans: [(begin: UInt64, end: UInt64)] = []

        var isOverlapping: Bool {
            spans.count == 2 && spans[0].begin < spans[1].end && spans[1].begin < spans[0].end
        }
    }

    @Test func `of two processes that open a message at once, one shows it (protocol v1, rule 26; abuse case 43)`()
        throws
    {
        let seed = RunSeed.here() >> 2
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_RACE_ROUNDS"].flatMap { Int($0) }
        let count = max(1, wanted ?? 3_000)
        let folder = try TemporaryFolder()
        var random = SystemRandom()
        _ = try ReplayWindow(folder: folder.path, ifMissing: .create, random: &random)
        _ = try folder.makeFile(OpeningRace.messagesName, Self.messages(count, seed: seed))

        let probes = try (0..<2).map { try Probe.start("open", folder.path, "\(seed)", "\($0)") }
        var rounds = [Round](repeating: Round(), count: count)
        // Each prints its results at its end, so that neither waits for a reader.
        for probe in probes {
            let lines = probe.rest().split(separator: "\n")
            #expect(lines.last == "end", "\(lines.last ?? "nothing"), seed \(seed)")
            for line in lines.dropLast() {
                let words = line.split(separator: " ").map(String.init)
                let round = try #require(Int(words[0]))
                rounds[round].words.append(words[1])
                rounds[round].spans.append((try #require(UInt64(words[2])), try #require(UInt64(words[3]))))
            }
        }
        let wrong = rounds.enumerated().filter { $0.element.words.sorted() != ["new", "replay"] }
        let doubled = wrong.filter { $0.element.words.sorted() != ["replay", "replay"] }.count
        #expect(
            wrong.isEmpty,
            "\(wrong.count) of \(count) rounds, \(doubled) shown twice, the first \(wrong.first.map { "\($0)" } ?? ""); seed \(seed)"
        )
        // They did meet.
        #expect(rounds.contains { $0.isOverlapping }, "seed \(seed)")
    }

    private static func messages(_ count: Int, seed: UInt64) throws -> String {
        let device = OpeningRace.device(seed: seed)
        let now = Timestamp.now
        let sender = SenderIdentity()
        let recipient = try Recipient(
            bundle: device.bundle(now: now),
            pinnedIdentity: device.identity,
            topic: device.topic,
            withoutPinsAt: now
        )
        var text = sender.publicKey.text + "\n"
        for number in 0..<count {
            let sealed = try sender.seal(Message(body: "\(number)"), for: recipient, sentAt: now)
            text += sealed.sealedField + "\n"
        }
        return text
    }
}
