import Bench
import TestSupport
import Testing

/// Our extension under every schedule. `sealedpush-bench extension` runs many more.
struct ScheduleTests {
    @Test func `over random schedules every message is shown once, whenever it can be opened`() async throws {
        let folder = try TemporaryFolder()
        let seed = RunSeed.here() >> 32
        let schedules = ExtensionSchedules(count: 200, seed: seed, in: folder.path)
        let result = try await schedules.run(laneCount: 4)
        #expect(result.failures.isEmpty, "\(result.failures.joined(separator: "\n"))")
        #expect(result.scheduleCount == 200 && result.temporaryFileCount == 0, "seed \(seed)")
    }
}
