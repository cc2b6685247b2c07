import Glibc
import Testing

@testable import Bench

struct ReadingTests {
    @Test func `a processor's time is shared out to the process, the disk, nobody and others`() throws {
        let before = ProcessorReading(ticks: [100, 0, 100, 100, 100, 0, 0, 0, 7, 7])
        let after = ProcessorReading(ticks: [150, 0, 120, 110, 110, 0, 0, 10, 9, 9])
        let share = try #require(after.share(since: before, ownNanoseconds: 400_000_000))
        #expect(share.ownPercent == 40 && share.idlePercent == 10 && share.diskPercent == 10)
        #expect(share.stolenPercent == 10 && share.otherPercent == 30)
        #expect(before.share(since: before, ownNanoseconds: 0) == nil)
    }

    @Test func `turns of one length have the mean of their shares`() {
        let shares = [(40, 10, 20, 30), (20, 30, 40, 10)].map {
            ProcessorShare(ownPercent: $0.0, idlePercent: $0.1, diskPercent: $0.2, stolenPercent: $0.3)
        }
        let mean = ProcessorShare(ownPercent: 30, idlePercent: 20, diskPercent: 30, stolenPercent: 20)
        #expect(ProcessorShare.mean(shares) == mean && ProcessorShare.mean([shares[0]]) == shares[0])
    }

    @Test func `the system says what a processor and a process have done`() throws {
        let one = try ProcessorReading(0)
        #expect(try ProcessorReading(0).share(since: one, ownNanoseconds: 0)?.ownPercent ?? 0 == 0)
        #expect(throws: BenchError.self) { try ProcessorReading(100_000) }
        let own = try ProcessReading(of: getpid())
        #expect(own.ownByteCount > 0 && own.descriptorCount > 2)
        #expect(throws: BenchError.self) { try ProcessReading(of: -1) }
    }

    @Test func `a process is flat when it has little more in the end than in the middle`() {
        let middle = ProcessReading(cpuNanoseconds: 0, ownByteCount: 50_000_000, descriptorCount: 30)
        for (byteCount, descriptorCount, isFlat) in [
            (40_000_000, 30, (true, true)), (58_000_000, 20, (true, true)), (60_000_000, 31, (false, false)),
        ] {
            let last = ProcessReading(cpuNanoseconds: 0, ownByteCount: byteCount, descriptorCount: descriptorCount)
            let flatness = Flatness(middle: middle, last: last)
            #expect(flatness.isMemoryFlat == isFlat.0 && flatness.areDescriptorsFlat == isFlat.1)
        }
    }
}
