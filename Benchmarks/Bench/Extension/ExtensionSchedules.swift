package import ExtensionHarness
private import NotificationServiceExtension
internal import UserNotifications

/// Runs our extension over random schedules of pushes and mishaps, many at the same time.
package struct ExtensionSchedules: Sendable {
    package struct Result: Sendable {
        /// Condition by outcome.
        package fileprivate(set) var histogram = ScheduleHistogram(
            outcomes: ScheduleVerifier.Outcome.allCases.map(\.rawValue)
        )
        package fileprivate(set) var scheduleCount = 0
        package fileprivate(set) var pushCount = 0
        package fileprivate(set) var failures: [String] = []
        /// Half-written files that were left behind.
        package fileprivate(set) var temporaryFileCount = 0

        /// Cells of the histogram that are possible and empty.
        package var emptyCells: [String] {
            histogram.emptyCells.filter { Self.isPossible($0.outcome, under: $0.label) }
                .map { "\($0.outcome) under \($0.label)" }
        }

        private static func isPossible(_ outcome: String, under label: ScheduleLabel) -> Bool {
            switch label.description {
            case "alerts off": outcome == ScheduleVerifier.Outcome.nothing.rawValue
            case "extension does not start":
                [ScheduleVerifier.Outcome.original, .nothing].map(\.rawValue).contains(outcome)
            // The keys cannot be read, or the shown message cannot be recorded.
            case "lock before first unlock", "storage read-only":
                ![ScheduleVerifier.Outcome.message, .messageWithoutPicture].map(\.rawValue).contains(outcome)
            default: true
            }
        }

        fileprivate mutating func add(_ other: Result) {
            histogram.add(other.histogram)
            scheduleCount += other.scheduleCount
            pushCount += other.pushCount
            failures += other.failures
            temporaryFileCount += other.temporaryFileCount
        }
    }

    /// Schedules that share a phone, one after the other.
    private static let phoneScheduleCount = 50

    private let seeds: [UInt64]
    private let folder: String

    /// - Parameters:
    ///   - seed: Seed of the first; the others follow it.
    ///   - folder: An empty folder for the phones, removed by the caller.
    package init(count: Int, seed: UInt64, in folder: String) {
        seeds = (0..<count).map { seed &+ UInt64($0) }
        self.folder = folder
    }

    /// Throws if a phone could not be made.
    ///
    /// - Parameter laneCount: Number of phones at a time.
    package func run(laneCount: Int) async throws(BenchError) -> Result {
        let phones = stride(from: 0, to: seeds.count, by: Self.phoneScheduleCount).map {
            Array(seeds[$0..<min($0 + Self.phoneScheduleCount, seeds.count)])
        }
        return try await withTaskGroup(of: Swift.Result<Result, BenchError>.self) { group in
            var waiting = phones[...]
            for seeds in waiting.prefix(max(laneCount, 1)) { group.addTask { await runPhone(seeds) } }
            waiting = waiting.dropFirst(max(laneCount, 1))
            var sum = Result()
            for await result in group {
                switch result {
                case .success(let result): sum.add(result)
                case .failure(let error): return Swift.Result<Result, BenchError>.failure(error)
                }
                if let seeds = waiting.popFirst() { group.addTask { await runPhone(seeds) } }
            }
            return .success(sum)
        }
        .get()
    }

    private func runPhone(_ seeds: [UInt64]) async -> Swift.Result<Result, BenchError> {
        do throws(BenchError) {
            let phone = try ScheduledPhone(folder: "\(folder)/\(seeds[0])")
            var result = Result()
            for seed in seeds { await run(seed, try phone.pushes(number: seed), on: phone.conditions, into: &result) }
            result.temporaryFileCount = try phone.temporaryFileCount()
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    private func run(
        _ seed: UInt64,
        _ pushes: [ScheduledPush],
        on conditions: Device.Conditions,
        into result: inout Result
    ) async {
        let schedule = DeviceSchedule(seed: seed, pushCount: pushes.count, on: conditions)
        let report = await schedule.run(pushes.map(\.push)) { PrincipalClass.make() }
        var verifier = ScheduleVerifier(pushes)
        let mistakes = verifier.mistakes(in: report, of: schedule)
        if !mistakes.isEmpty { result.failures.append("\(mistakes.map { "\($0)" }.sorted()) in \(schedule)") }
        for delivery in report.deliveries {
            for shown in [delivery.shown] + delivery.shown.repeated {
                result.histogram.add(delivery.step, outcome: ScheduleVerifier.Outcome.of(shown).rawValue)
                result.pushCount += 1
            }
        }
        result.scheduleCount += 1
    }
}
