import Envelope
import Foundation
import Platform
import PushStore
import PushStorePattern
import Sealing
import TestSupport
import Testing

@testable import PushService

struct ErasureTests {
    /// Pieces of a sealed text, short enough that at least one lies whole on a page of the file.
    private static func samples(_ sealed: String) -> [Data] {
        let bytes = Array(sealed.utf8)
        return stride(from: 100, to: bytes.count - 64, by: 400).map { Data(bytes[$0..<$0 + 64]) }
    }

    /// - Returns: the number of texts that have left something in the folder's files.
    private static func leftCount(_ sealed: [String], in folder: TemporaryFolder) throws -> Int {
        let files = try folder.names().map { try Data(contentsOf: URL(filePath: folder.path($0))) }
        return sealed.count { text in
            samples(text).contains { sample in files.contains { $0.range(of: sample) != nil } }
        }
    }

    @Test func `sealed content that APNs has taken is gone from all files a minute later`() async throws {
        let folder = try TemporaryFolder()
        try await ServerStage.with(folder: folder) { stage in
            let upkeep = Upkeep(stage.context, quota: stage.quota)
            var texts: [String] = []
            for number in 0..<48 {
                // Half of them go out at once, many in a row of the file; the others wait in rows of their own.
                stage.dispatch.hasRoom.withLock { $0 = number % 2 == 0 }
                try await stage.register("d\(number)", number)
                texts.append(try Body.sealed(Message(body: "at eight")).sealedField)
                let recipient = #"{"device":"d\#(number)","sealed":"\#(texts[number])"}"#
                #expect(await stage.post(Body.notification(recipient)).status == 202)
            }
            #expect(try Self.leftCount(texts, in: folder) == texts.count, "the search finds what is there")
            let now = stage.now
            let demand = TakeDemand(lane: .normal, limit: 100, now: now, leasedUntil: now.advanced(by: .seconds(60)))
            let taken = try await stage.store.take(demand).map(\.lease)
            #expect(try await stage.store.markSending(taken, now: now).allSatisfy { $0 == .sending })
            let sent = taken + stage.dispatch.stored.withLock { $0.flatMap(\.leases) }
            #expect(sent.count == texts.count)
            var random = SeededRandom(seed: RunSeed.here())
            for lease in sent.shuffled(using: &random) {
                let attempt = Attempt(time: now, connection: .answered, status: 200)
                let outcome = Outcome(lease: lease, attempt: attempt, verdict: .accepted)
                #expect(try await stage.store.finish([outcome], now: now) == [.recorded(.accepted)])
            }
            stage.advance(.seconds(60))
            await Task(executorPreference: stage.loop) { await upkeep.run() }.value
            #expect(try Self.leftCount(texts, in: folder) == 0)
        }
    }
}
