import TestSupport
import Testing

/// Searches that found faults of earlier rules, with mostly unrelated steps. They find nothing now.
struct MendedFaultTests {
    private static let usual: [Step] = [.message(.shown), .launch, .pass(.seconds(36)), .pass(.days(1))]

    @Test func `two processes whose clocks differ show a message once`() throws {
        let steps =
            Self.usual + [.message(.raced(milliseconds: 50)), .message(.raced(milliseconds: -1)), .reboot, .unlock]
        let found = try Self.search(.shownOnce, steps, length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `a clock that moves while a message is being shown shows it once`() throws {
        let steps =
            Self.usual + [
                .message(.leftOpen), .deliver(back: 0, .shown), .clock(.by(.seconds(36))),
                .clock(.back(.milliseconds(1))), .show,
            ]
        let found = try Self.search(.shownOnce, steps, length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `a message of the future under a clock that was ahead makes the device deaf for nobody`() throws {
        let found = try Self.search(.openedWhenPossible, Self.future, length: 4)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `a message of the future under a clock that was ahead destroys no prekey`() throws {
        let found = try Self.search(.noKeyEarly, Self.future, length: 4)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `a message of the future under a clock that was ahead leaves new bundles valid`() throws {
        let found = try Self.search(.neverDeaf, Self.future, length: 4)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    private static let future: [Step] = [
        .message(.shown), .launch, .clock(.by(.days(365))), .clock(.right), .hostileMessage(.deviceTime, .shown),
        .hostileMessage(.trueTime, .shown),
    ]

    @Test func `a relay that withholds acknowledgements keeps no prekey on the device`() throws {
        let steps = Self.usual + [.weeks(3), .relay(.withholdsAcknowledgements), .relay(.honest)]
        let found = try Self.search(.noKeyLate, steps, length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `the app's loop keeps no prekey on the device`() throws {
        let found = try Self.search(.noKeyLate, [.launch, .pass(.days(1)), .weeks(5)], length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `the app's loop has room for a prekey in its second year`() throws {
        let steps: [Step] = [.pass(.hours(1)), .weeks(22)]
        let found = try Self.search(.roomToRotate, steps, length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    @Test func `a device whose token changes 64 times in a month has room for a prekey`() throws {
        let found = try Self.search(.roomToRotate, Self.usual + [.newTokens(33)], length: 3)
        #expect(found == nil, "\(found.map(\.description) ?? "")")
    }

    private static func search(
        _ invariant: Invariant,
        _ steps: [Step],
        length: Int
    ) throws -> Counterexample? {
        var search = Search(try Stage(watching: [invariant]))
        return try search.all(of: steps, length: length)
    }
}
