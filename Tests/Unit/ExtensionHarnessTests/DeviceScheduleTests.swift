import TestSupport
import Testing
import UserNotifications

@testable import ExtensionHarness

struct DeviceScheduleTests {
    private let pushes: [SimulatedPush]

    init() throws {
        pushes = try (0..<4).map { try SimulatedPush(payload: mutablePush, identifier: "\($0)") }
    }

    @Test func `a seed makes the same schedule each time, and another seed another`() {
        let schedules = (0..<100).map { DeviceSchedule(seed: UInt64($0), pushCount: 4) }
        #expect(schedules == (0..<100).map { DeviceSchedule(seed: UInt64($0), pushCount: 4) })
        #expect(Set(schedules.map(\.description)).count == 100)
    }

    @Test func `chance leaves alone what the base says`() {
        let base = Device.Conditions().with { $0.languages = ["ja"] }
        for seed in 0..<20 {
            let schedule = DeviceSchedule(seed: UInt64(seed), pushCount: 1, on: base)
            #expect(
                schedule.steps.allSatisfy { $0.conditions.languages == ["ja"] && $0.pushIndices.allSatisfy { $0 == 0 } }
            )
        }
    }

    @Test func `every value of every condition comes up`() {
        let steps = (0..<500).flatMap { DeviceSchedule(seed: UInt64($0), pushCount: 4).steps }
        let labels = steps.flatMap(\.labels)
        #expect(Set(labels).count == 41, "\(Set(labels).map(\.description).sorted())")
    }

    @Test func `an extension without fault has no findings, whatever happens`() async throws {
        let seed = RunSeed.here() >> 32
        for offset in 0..<100 {
            let schedule = DeviceSchedule(seed: seed + UInt64(offset), pushCount: pushes.count)
            let report = await schedule.run(pushes) { ScriptedExtension { $1($0.content) } }
            #expect(report.findings.isEmpty, "\(schedule)")
            #expect(report.deliveries.count == schedule.steps.map(\.pushIndices.count).reduce(0, +))
        }
    }

    @Test func `an extension that answers twice, or without text, is found`() async throws {
        let twice = await firstFinding { ScriptedExtension { ($1($0.content), $1($0.content)).0 } }
        #expect(twice == [.answeredAgain])
        let empty = await firstFinding { ScriptedExtension { $1(UNNotificationContent()) } }
        #expect(empty == [.emptyAnswer])
    }

    @Test func `a histogram counts by condition, and names the empty cells`() throws {
        let step = try #require(DeviceSchedule(seed: 1, pushCount: 1).steps.first)
        var histogram = ScheduleHistogram(outcomes: ["text", "nothing"])
        histogram.add(step, outcome: "text")
        var other = ScheduleHistogram(outcomes: ["text", "nothing"])
        other.add(step, outcome: "text")
        other.add(step, outcome: "of no column")
        histogram.add(other)
        let label = try #require(step.labels.first)
        #expect(histogram.count("text", under: label) == 2 && histogram.count("nothing", under: label) == 0)
        #expect(histogram.emptyCells.count == step.labels.count)
        #expect(histogram.emptyCells.allSatisfy { $0.outcome == "nothing" })
        #expect(histogram.description.split(separator: "\n").count == step.labels.count + 1)
    }

    private func firstFinding(
        _ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension
    ) async -> Set<ScheduleReport.Finding> {
        for seed in 0..<50 {
            let schedule = DeviceSchedule(seed: UInt64(seed), pushCount: pushes.count)
            let findings = await schedule.run(pushes, makeExtension: makeExtension).findings
            if !findings.isEmpty { return findings }
        }
        return []
    }
}
