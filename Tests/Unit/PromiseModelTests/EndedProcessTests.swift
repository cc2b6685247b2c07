import Envelope
import TestSupport
import Testing

/// An app or extension that is ended at each of its disk steps in turn, with everything to do, and the time after it.
struct EndedProcessTests {
    /// The oldest prekeys are destroyed and the next due, a message was sealed to those that are gone, the newest are
    /// old, and two messages wait for the device to be unlocked.
    private static let busy: [Step] = [
        .seal(days: 1), .weeks(4), .deliver(back: 0, .shown), .pass(.days(8)), .lock, .message(.shown),
        .message(.shown, .unlocked), .message(.shown, .unlocked),
    ]
    /// Everything comes again, at once and once claims are over; the app runs for two months.
    private static let afterwards: [Step] =
        [.message(.shown)] + again + [.launch] + again + [.pass(.seconds(36))] + again + [.launch] + again
        + [.weeks(1), .launch(Step.Launch(isCold: true)), .weeks(7)]
    /// The relay withholds everything: kept messages are left to the app alone.
    private static let withheld: [Step] = [.launch, .pass(.seconds(36)), .launch]
    private static let again: [Step] = (0..<4).map { .deliver(back: $0, .shown) }

    @Test(arguments: [Step.AppCall.open, .confirmTime, .openSpooled, .rotate, .acknowledge, .destroy])
    func `an app that is ended at any step on disk breaks no promise`(_ call: Step.AppCall) throws {
        let steps = try Self.endings(of: [.unlock]) {
            .launch(Step.Launch(isCold: true, ending: Step.Ending(call: call, step: $0)))
        }
        #expect(steps >= 5, "\(call) has \(steps) steps")
    }

    @Test func `an extension that is ended at any step on disk before it answers breaks no promise`() throws {
        // A claim, and an envelope that is kept.
        #expect(try Self.endings(of: [.unlock]) { .message(.endedOpening(step: $0)) } >= 5)
        #expect(try Self.endings { .message(.endedOpening(step: $0), .unlocked) } >= 5)
        #expect(try Self.endings(of: [.reboot]) { .message(.endedOpening(step: $0)) } >= 5)
    }

    @Test func `an extension that is ended at any step on disk after it has answered breaks no promise`() throws {
        #expect(try Self.endings(of: [.unlock]) { .message(.endedShowing(step: $0)) } >= 2)
    }

    /// - Returns: the number of steps.
    private static func endings(of before: [Step] = [], _ ended: (Int) -> Step) throws -> Int {
        var search = Search(try Stage(watching: Set(Invariant.allCases)))
        let (busy, early) = try search.run(Self.busy + before, from: try search.stage.world())
        #expect(early == nil, "\(early.map(\.description) ?? "")")
        let image = try search.stage.phone.folder.image()
        var step = 0
        while true {
            var endedCount = busy.endedCount
            for rest in [afterwards, withheld] {
                let (world, violation) = try search.run([ended(step), .unlock] + rest, from: busy, image)
                #expect(violation == nil, "\(ended(step)): \(violation.map(\.description) ?? "")")
                endedCount = world.endedCount
            }
            guard endedCount > busy.endedCount else { return step }
            step += 1
        }
    }
}
