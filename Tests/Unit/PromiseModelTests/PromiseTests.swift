import Envelope
import Foundation
import TestSupport
import Testing

/// Random schedules: the same in every run unless SEALEDPUSH_SEEDS says otherwise, SEALEDPUSH_MODEL_SCHEDULES of them.
/// A finding is printed with its seed, as short as dropping steps makes it.
struct PromiseTests {
    private static let arrivals: [Step.Arrival] = [
        .shown, .shown, .leftOpen, .killed, .raced(milliseconds: 0), .raced(milliseconds: 1),
    ]
    private static let endedArrivals: [Step.Arrival] =
        [0, 1, 3, 6].map { .endedOpening(step: $0) } + [0, 1].map { .endedShowing(step: $0) }
    private static let launches: [Step.Launch] =
        [Step.Launch(), Step.Launch(confirms: false)]
        + Step.AppCall.allCases.map { Step.Launch(killedAfter: $0) }
        + [.open, .confirmTime, .openSpooled, .acknowledge, .destroy].flatMap { ending($0, [1, 6]) }
        + ending(.rotate, [3, 9, 17, 25])

    private static func ending(_ call: Step.AppCall, _ steps: [Int]) -> [Step.Launch] {
        steps.map { Step.Launch(ending: Step.Ending(call: call, step: $0)) }
    }

    /// Steps of a device whose clock is right, with a relay that is honest about bundles.
    private static let quiet: [Step] =
        arrivals.flatMap { [.message($0), .deliver(back: 0, $0), .deliver(back: 1, $0), .deliver(back: 3, $0)] }
        + endedArrivals.flatMap { [.message($0), .deliver(back: 0, $0)] } + [
            .message(.endedOpening(step: 2), .unlocked)
        ]
        + [.message(.shown, .unlocked), .message(.leftOpen, .unlocked), .message(.killed, .unlocked)]
        + launches.map { .launch($0) }
        + [
            .launch, .launch, .launch(Step.Launch(isCold: true)), .unlock, .unlock, .unlock, .lock, .reboot, .show,
            .show,
            .killExtension, .fetch,
        ]
        + [
            .seal(days: 1), .seal(days: 7), .seal(days: 7, .unlocked), .weeks(1), .newTokens(1),
            .hostileMessage(.trueTime, .shown),
        ]
        + [.milliseconds(1), .seconds(1), .seconds(36), .seconds(36), .hours(1), .days(1), .days(8)].map { .pass($0) }
    private static let hostile: [Step] =
        quiet
        + [
            .right, .right, .right, .right, .by(.milliseconds(1)), .back(.milliseconds(1)), .by(.seconds(36)),
            .back(.seconds(36)), .by(.days(2)), .back(.days(2)), .by(.days(365)), .back(.days(30)),
        ].map { .clock($0) }
        + [.trueTime, .deviceTime, .deviceTimeAndSkew, .trueTimeAndYear].map { .hostileMessage($0, .shown) }
        + [.honest, .honest, .withholdsAcknowledgements, .fakesAcknowledgements, .handsOutOldest].map { .relay($0) }
        + [
            .message(.raced(milliseconds: -1)), .deliver(back: 0, .raced(milliseconds: -50)), .freezeClock,
            .newTokens(33), .wrongTime, .lateTime(.seconds(40)), .lateTime(.hours(1)),
        ]
        + [.weeks(4), .pass(.days(22))]

    @Test func `under a clock that is right no kill, restart or delay breaks a promise about messages`() throws {
        let found = try Self.search(
            [.shownOnce, .openedWhenPossible, .sealedWhileLocked, .keptUntilUnlocked, .noKeyEarly, .neverDeaf],
            Self.quiet,
            count: 100
        )
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `whatever clock, contacts and relay do, every promise holds`() throws {
        let found = try Self.search(Set(Invariant.allCases), Self.hostile, count: 300)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    private static func search(
        _ watched: Set<Invariant>,
        _ steps: [Step],
        count: Int
    ) throws -> Counterexample? {
        let wanted = ProcessInfo.processInfo.environment["SEALEDPUSH_MODEL_SCHEDULES"].flatMap { Int($0) }
        var search = Search(try Stage(watching: watched))
        return try search.random(wanted ?? count, of: steps, length: 25, seed: RunSeed.here())
    }
}
