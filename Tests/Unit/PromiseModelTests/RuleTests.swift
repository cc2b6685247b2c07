import Envelope
import Testing

/// The shortest schedules in which one rule alone keeps a promise. scripts/mutants breaks the rules.
struct RuleTests {
    struct Rule: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let schedule: [Step]

        init(_ sentence: String, _ schedule: [Step]) {
            testDescription = sentence
            self.schedule = schedule
        }
    }

    private static let again = Step.deliver(back: 0, .shown)
    private static let unconfirmed = Step.launch(Step.Launch(confirms: false))
    private static let cold = Step.launch(Step.Launch(isCold: true))

    private static let claims = [
        Rule(
            "a claim lives for 35 seconds and no longer",
            [.message(.killed), .pass(.seconds(30)), again, .pass(.seconds(6)), again]
        ),
        Rule("a restart frees a claim", [.message(.killed), .reboot, .unlock, again]),
        Rule("what was shown is done", [.message(.shown), .pass(.seconds(36)), again, .reboot, .unlock, again]),
    ]

    private static let time = [
        Rule(
            "confirmed time goes on by the uptime, whatever the clock shows",
            [
                .launch, .clock(.by(.days(365))), .message(.shown), .clock(.back(.days(700))), .pass(.days(1)),
                .message(.shown), .pass(.days(6)), .message(.shown),
            ]
        ),
        Rule(
            "after a restart the lower bound stands still and the clock counts",
            [.launch, .pass(.hours(1)), .reboot, .unlock, .pass(.days(2)), .message(.shown)]
        ),
        Rule(
            "no message moves the lower bound",
            [
                .launch, .reboot, .unlock, .clock(.by(.days(365))), .hostileMessage(.deviceTime, .shown),
                .clock(.right),
                .message(.shown),
            ]
        ),
        Rule("a confirmation takes the place of a later one", [.launch, .wrongTime, .launch, .message(.shown)]),
        Rule(
            "an answer of 30 seconds or more is no confirmation",
            [.launch, .pass(.hours(2)), .lateTime(.hours(1)), .message(.shown)]
        ),
        Rule(
            "an answer from before a restart is no confirmation",
            [.launch, .reboot, .unlock, unconfirmed, .lateTime(.days(1)), .message(.shown)]
        ),
    ]

    private static let kept = [
        Rule(
            "what only the clock takes for expired is kept",
            [.launch, .reboot, .unlock, .clock(.by(.days(2))), .message(.shown), unconfirmed, .launch]
        ),
        Rule("what is of the future by a clock alone is kept", [.clock(.back(.days(2))), .message(.shown), .launch]),
        Rule("what is locked before the first unlock is kept", [.reboot, .message(.shown), .unlock, .launch]),
        Rule(
            "what is locked until the device is unlocked is kept",
            [.lock, .message(.shown, .unlocked), cold, .unlock, .launch]
        ),
        Rule(
            "what was kept stays while only the clock takes it for expired",
            [.launch, .reboot, .message(.shown), .clock(.by(.days(2))), .unlock, unconfirmed, .launch]
        ),
        Rule(
            "what was claimed by a process that was ended stays",
            [
                .lock, .message(.shown, .unlocked), .unlock, .deliver(back: 0, .killed), .launch, .pass(.seconds(36)),
                .launch,
            ]
        ),
        Rule("what was sealed to a key that is gone is marked", [.seal(days: 1), .weeks(4), again, .launch]),
    ]

    private static let rotation = [
        Rule(
            "a bundle of a clock that ran ahead is replaced, with an epoch that senders take",
            [.clock(.by(.days(365))), unconfirmed, .clock(.right), .launch, .weeks(2)]
        ),
        Rule(
            "a bundle is stamped with the lower bound",
            [.launch, .reboot, .unlock, .clock(.by(.days(30))), unconfirmed, .launch]
        ),
        Rule("the oldest prekeys make room", [.launch, .newTokens(40), .launch]),
        Rule(
            "no prekey makes room because of a clock",
            [.newTokens(33), .reboot, .unlock, .clock(.by(.days(30))), unconfirmed]
        ),
        Rule("a key that is locked is not lost", [.lock, cold, .unlock, .message(.shown, .unlocked)]),
        Rule("a rotation that cannot be done leaves nothing", [.pass(.days(8)), .lock, .launch, .unlock, .launch]),
    ]

    private static let daily: [Step] = (0..<30).flatMap { _ in [.pass(.days(1)), .launch] }
    private static let ends = [
        Rule("a prekey's end, day by day", daily),
        Rule("the same where nothing is acknowledged", [.relay(.withholdsAcknowledgements)] + daily),
        Rule(
            "clocks may differ by five minutes",
            [.weeks(3), .pass(.seconds(36)), .launch, .pass(.hours(1)), .launch]
        ),
        Rule("after not-after a message lives its longest life", [.pass(.days(61)), .launch]),
        Rule("after not-after and the longest life nothing is left", [.pass(.days(68)), .launch]),
        Rule(
            "no clock destroys",
            [.launch, .pass(.days(8)), .launch, .reboot, .unlock, .clock(.by(.days(60))), unconfirmed]
        ),
        Rule(
            "what was superseded without confirmed time counts from the confirmation",
            [.clock(.back(.days(30))), .newTokens(2), .clock(.right), .launch, .weeks(1), .weeks(1)]
        ),
        // The first bundle, which the sender has pinned, was made in the same millisecond.
        Rule(
            "epochs go back to those before a clock that ran ahead, and no further",
            [.clock(.by(.days(365))), .message(.shown), unconfirmed, .launch]
        ),
        Rule(
            "epochs pass those of a prekey that went for want of room while the clock ran ahead",
            [.message(.shown), .clock(.by(.days(365))), .newTokens(33), unconfirmed, .launch]
        ),
        Rule(
            "the same where the clock ran ahead twice",
            [
                .message(.shown), .clock(.by(.days(365))), .newTokens(33), .clock(.by(.days(365))), .newTokens(33),
                unconfirmed, .launch,
            ]
        ),
    ]

    @Test(arguments: claims + time + kept + rotation + ends)
    func `each rule keeps its promise`(_ rule: Rule) throws {
        var search = Search(try Stage(watching: Set(Invariant.allCases)))
        let violation = try search.run(rule.schedule)
        #expect(violation == nil, "\(violation.map(\.description) ?? "")")
    }
}
