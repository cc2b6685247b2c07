import Bench
import ChildProcesses
import CommandLineTool
import ExtensionHarness
import Glibc

/// `sealedpush-bench extension --schedules N`: our extension over random schedules of pushes and mishaps.
struct ScheduleBench {
    let count: Int
    let seed: UInt64

    func run() async throws(CommandError) {
        let folder = try TemporaryFolder("bench")
        let start = ContinuousClock.now
        let result: ExtensionSchedules.Result
        do {
            // More than cores: most of a schedule is waiting for a disk, or for time to pass.
            result = try await ExtensionSchedules(count: count, seed: seed, in: folder.path)
                .run(laneCount: sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 4)
        } catch {
            throw .failed("the schedules' phone could not be set up in \(folder.path)")
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        try Output.print("\(result.histogram)\n")
        try Output.print(
            "\(result.scheduleCount) schedules from seed \(seed), \(result.pushCount) pushes, \(seconds) s, in this process"
        )
        try Output.print("possible, and never seen: " + list(result.emptyCells))
        try Output.print("half-written files left behind: \(result.temporaryFileCount)")
        try Output.print("schedules that went wrong: \(result.failures.count)")
        guard result.failures.isEmpty, result.temporaryFileCount == 0 else {
            throw .failed(result.failures.prefix(5).joined(separator: "\n") + "\nthe extension broke a promise")
        }
    }

    private func list(_ texts: [String]) -> String { texts.isEmpty ? "nothing" : texts.joined(separator: ", ") }
}
