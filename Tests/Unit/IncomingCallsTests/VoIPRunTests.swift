import Testing

@testable import ExtensionHarness

/// Every order of events of a VoIP push, without a queue and without a clock.
struct VoIPRunTests {
    private static let cases: [([VoIPRun.Event], VoIPDelivery.Why?)] = [
        ([.reported, .completed, .returned], .reported),
        ([.reported, .returned, .completed], .reported),
        ([.completed, .reported, .returned], .reported),
        // CallKit's answer is still to come.
        ([.reported, .returned], nil),
        ([.reported, .returned, .timeOver], .reported),
        ([.reported, .timeOver], .reported),
        ([.returned], .terminated(.returnedWithoutReport)),
        ([.completed, .returned], .terminated(.returnedWithoutReport)),
        ([.returned, .reported, .completed], .terminated(.returnedWithoutReport)),
        ([.timeOver], .terminated(.tookTooLong)),
        ([.completed, .timeOver], .terminated(.tookTooLong)),
        ([.timeOver, .reported, .returned], .terminated(.tookTooLong)),
        ([.notRegistered], .notRegistered),
        ([.completed], nil),
        ([], nil),
    ]

    @Test(arguments: cases)
    func `the app has reported when its method returns, or it is ended`(
        _ events: [VoIPRun.Event],
        _ expected: VoIPDelivery.Why?
    ) {
        var run = VoIPRun()
        let ends = events.count { run.handle($0) }
        #expect(run.end == expected)
        #expect(ends == (expected == nil ? 0 : 1))
    }
}
