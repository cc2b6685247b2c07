import Platform
import Testing

@testable import NotificationCore

/// Abuse case 104: the extension's core, one job at a time, with iOS's expiry and the passing of time between any two
/// of them, in every order.
struct ScheduleTests {
    private struct Scene: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var attachmentCount = 0
        var pause: Duration = .zero
        /// Point within a step at which the expiry comes, on that step's thread.
        var expires = Expiry.between
        enum Expiry: Sendable { case between, whileOpening, inHandler, whileRemembering }

        static let all = [
            Scene(testDescription: "text alone"),
            Scene(testDescription: "an attachment at once", attachmentCount: 1),
            Scene(testDescription: "an attachment in time", attachmentCount: 1, pause: .seconds(3)),
            Scene(testDescription: "an attachment too late", attachmentCount: 1, pause: .seconds(9)),
            Scene(testDescription: "expiry while it opens", expires: .whileOpening),
            Scene(testDescription: "expiry in the handler", expires: .inHandler),
            Scene(testDescription: "expiry while it is remembered", expires: .whileRemembering),
        ]
    }

    @Test(arguments: Scene.all)
    private func `in every order of jobs, expiry and time the handler is called once, with the text if it was open`(
        _ scene: Scene
    ) throws {
        let script = try Script()
        var decisions: [(chosen: Int, optionCount: Int)] = []
        var scheduleCount = 0
        repeat {
            scheduleCount += 1
            try run(scene, Script(like: script), &decisions)
        } while Self.next(&decisions) && scheduleCount < 200_000
        #expect(scheduleCount > 1 && scheduleCount < 200_000)
    }

    /// Runs one schedule: follows the decisions, then always the first option.
    private func run(_ scene: Scene, _ script: Script, _ decisions: inout [(chosen: Int, optionCount: Int)]) throws {
        let stepper = Stepper()
        let box = Guarded<ExtensionCore?>(nil)
        defer { box.withLock { $0 = nil } }
        let core = core(scene, script, stepper, expiring: box)
        core.receive(userInfo: [:], requestID: "1") { content in
            script.answer(content)
            if scene.expires == .inHandler { core.timeWillExpire() }
        }
        var isExpired = scene.expires != .between
        var isOpenBeforeExpiry = false
        var step = 0
        while stepper.jobCount > 0 || stepper.clock.sleeperCount > 0 {
            let jobCount = stepper.jobCount
            let optionCount = jobCount + (isExpired ? 0 : 1) + (stepper.clock.sleeperCount > 0 ? 1 : 0)
            if step == decisions.count { decisions.append((0, optionCount)) }
            #expect(decisions[step].optionCount == optionCount, "not the same twice")
            let chosen = decisions[step].chosen
            step += 1
            if chosen < jobCount {
                stepper.run(chosen)
            } else if chosen == jobCount, !isExpired {
                isExpired = true
                isOpenBeforeExpiry = script.entries.contains(.opened)
                core.timeWillExpire()
                #expect(script.answers.count == 1, "not at once: \(decisions.map(\.chosen))")
            } else {
                stepper.clock.wakeNext()
            }
        }
        try check(script, isOpenBeforeExpiry, decisions.map(\.chosen))
    }

    private func check(_ script: Script, _ isOpenBeforeExpiry: Bool, _ decisions: [Int]) throws {
        let entries = script.entries
        let what: Comment = "\(entries), by \(decisions)"
        try #require(script.answers.count == 1, what)
        guard case .answered(let body, _) = script.answers[0] else { return }
        if isOpenBeforeExpiry { #expect(body == "text", what) }
        // Only what was shown is remembered.
        #expect(entries.contains(.remembered("text")) == (body == "text"), what)
        #expect(!entries.contains(.remembered(script.neutral.body)), what)
        #expect(entries.contains(.counted(body == "text" ? .opened : .notOpenedInTime)), what)
    }

    private func core(
        _ scene: Scene,
        _ script: Script,
        _ stepper: Stepper,
        expiring box: Guarded<ExtensionCore?>
    ) -> ExtensionCore {
        let expire: @Sendable (Scene.Expiry) -> Void = { moment in
            if scene.expires == moment { box.withLock { $0 }?.timeWillExpire() }
        }
        var settings = ExtensionCore.Settings()
        if scene.attachmentCount > 0 {
            settings.attachments = ScriptedFetcher(
                count: scene.attachmentCount,
                pause: scene.pause,
                clock: stepper.clock
            )
        }
        let core = ExtensionCore(
            steps: script.steps(
                opening: { expire(.whileOpening) },
                remembering: { expire(.whileRemembering) }
            ),
            reports: [],
            settings: settings,
            surroundings: stepper.surroundings()
        )
        box.withLock { $0 = core }
        return core
    }

    /// Advances to the next schedule: the last decision with another option takes it.
    private static func next(_ decisions: inout [(chosen: Int, optionCount: Int)]) -> Bool {
        while let last = decisions.popLast() {
            guard last.chosen + 1 == last.optionCount else {
                decisions.append((last.chosen + 1, last.optionCount))
                return true
            }
        }
        return false
    }
}
