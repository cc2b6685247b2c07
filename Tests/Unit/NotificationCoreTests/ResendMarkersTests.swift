import Envelope
import Keys
import Opening
import TestSupport
import Testing

@testable import NotificationCore

/// The extension's markers for the app when it has no key for a message (protocol v1, rule 20).
struct ResendMarkersTests {
    private static let now = Phone.start
    private let folder: TemporaryFolder
    private let markers: ResendMarkers

    init() throws {
        folder = try TemporaryFolder()
        markers = ResendMarkers(path: folder.path("markers"))
    }

    private static func trace(_ number: UInt8) -> Trace { Trace(bytes: [UInt8](repeating: number, count: 16)) }

    private func add(_ number: UInt8, hasTrace: Bool = true, after duration: Duration = .zero) throws {
        let id = try #require(PrekeyID([UInt8](repeating: number, count: 8)))
        let trace = hasTrace ? Self.trace(number) : nil
        try markers.add(trace: trace, prekeyID: id, now: Self.now.advanced(by: duration))
    }

    /// Each marker's bytes.
    private func items() throws -> [[UInt8]] {
        try markers.file.items().compactMap { try markers.file.read($0) { $0 } }
    }

    @Test func `a message for an unknown prekey is asked for by its trace, once (protocol v1, rule 20)`() throws {
        #expect(try markers.pendingResends().map(\.trace) == [])
        try add(1)
        try add(2, after: .seconds(1))
        #expect(try markers.pendingResends().map(\.trace) == [Self.trace(1), Self.trace(2)])
        try markers.resendRequested([Self.trace(1)])
        #expect(try markers.pendingResends().map(\.trace) == [Self.trace(2)])
        // The re-send could not be opened either: requests must not continue without end.
        try add(1, after: .seconds(60))
        try add(2, after: .seconds(60))
        #expect(try markers.pendingResends().map(\.trace) == [Self.trace(2)])
        #expect(try items().count == 2)
    }

    @Test func `a marker holds trace, prekey id and time, and nothing else (protocol v1, rule 20)`() throws {
        try add(7)
        let bytes = try #require(try items().first)
        let time: [UInt8] = [0, 0, 1, 0xA3, 0x18, 0x5C, 0x50, 0]
        #expect(bytes == [1, 0, 1] + [UInt8](repeating: 7, count: 16) + [UInt8](repeating: 7, count: 8) + time)
    }

    @Test func `64 markers are kept at most, the newest (protocol v1, rule 20)`() throws {
        for number in 1...100 as ClosedRange<UInt8> { try add(number, after: .seconds(Int(number))) }
        let expected = (37...100).map { Self.trace($0) }
        #expect(try markers.pendingResends().map(\.trace) == expected)
        #expect(try items().count == 64)
        // Recording a request displaces no other marker.
        try markers.resendRequested([Self.trace(50)])
        #expect(try markers.pendingResends().map(\.trace) == expected.filter { $0 != Self.trace(50) })
        #expect(try items().count == 64)
    }

    @Test func `a prekey that senders go on with is asked for eight times between two publications`() throws {
        let id = try #require(PrekeyID([UInt8](repeating: 1, count: 8)))
        let pending = { try markers.pendingResends(isBounded: true) }
        for number in 1...12 as ClosedRange<UInt8> {
            try markers.add(trace: Self.trace(number), prekeyID: id, now: Self.now.advanced(by: .seconds(Int(number))))
            guard number <= 8 else { continue }
            #expect(try pending().map(\.trace) == [Self.trace(number)])
            try markers.resendRequested([Self.trace(number)])
        }
        #expect(try pending().isEmpty)
        // The app, which publishes a bundle first, requests all of them.
        #expect(try markers.pendingResends().count == 4)
        try add(50, after: .seconds(20))
        #expect(try pending().map(\.trace) == [Self.trace(50)])
        try markers.bundlePublished(now: Self.now.advanced(by: .seconds(100)))
        #expect(try pending().count == 5)
    }

    @Test func `a push without a trace asks for a new bundle and for no re-send (protocol v1, rule 20)`() throws {
        for second in 0..<5 { try add(1, hasTrace: false, after: .seconds(second)) }
        #expect(try markers.pendingResends().map(\.trace) == [])
        #expect(try markers.needsNewBundle(now: Self.now))
        #expect(try items().count == 1)
    }

    @Test
    func
        `a bundle is published again once an hour at most, and only for a marker that came since (protocol v1, rule 20)`()
        throws
    {
        #expect(try !markers.needsNewBundle(now: Self.now))
        try add(1)
        #expect(try markers.needsNewBundle(now: Self.now))
        let published = Self.now.advanced(by: .seconds(10))
        try markers.bundlePublished(now: published)
        let after = { (duration: Duration) in published.advanced(by: duration) }
        #expect(try !markers.needsNewBundle(now: after(.seconds(3_600))))
        try add(2, after: .seconds(20))
        #expect(try !markers.needsNewBundle(now: after(.seconds(3_600) - .milliseconds(1))))
        #expect(try markers.needsNewBundle(now: after(.seconds(3_600))))
        try markers.bundlePublished(now: after(.seconds(3_600)))
        #expect(try !markers.needsNewBundle(now: after(.seconds(9_000))))
    }

    /// One publication by a clock that ran ahead must not be the last.
    @Test func `a publication in the future does not count (protocol v1, rule 20)`() throws {
        try markers.bundlePublished(now: Self.now.advanced(by: .seconds(86_400 * 365)))
        #expect(try !markers.needsNewBundle(now: Self.now))
        try add(1)
        #expect(try markers.needsNewBundle(now: Self.now))
    }

    @Test func `a damaged marker or publication record is none`() throws {
        try add(1)
        let good = try #require(try items().first)
        for count in 0..<good.count { #expect(ResendMarker(bytes: Array(good.prefix(count))) == nil) }
        for (offset, byte) in [(0, 2), (1, 2), (2, 2)] as [(Int, UInt8)] {
            var bad = good
            bad[offset] = byte
            #expect(ResendMarker(bytes: bad) == nil)
            try markers.removeAll()
            try markers.file.add(bad, key: bad, now: Self.now) { _ in false }
            #expect(try markers.pendingResends().map(\.trace) == [])
        }
        #expect(ResendMarker(bytes: good + [0]) == nil)
        for text in ["", "short", "longer than eight"] {
            _ = try folder.makeFile("markers-published", text)
            #expect(try !markers.needsNewBundle(now: Self.now))
        }
        try add(1)
        #expect(try markers.needsNewBundle(now: Self.now))
    }

    @Test func `app and extension use the markers at the same time`() async throws {
        let (markers, path) = (markers, folder.path("markers"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 as Range<UInt8> {
                group.addTask {
                    let own = ResendMarkers(path: path)
                    for number in 0..<12 as Range<UInt8> {
                        let id = try #require(PrekeyID([UInt8](repeating: 1, count: 8)))
                        try own.add(trace: Self.trace(task * 12 + number), prekeyID: id, now: Self.now)
                        if task == 0 { try markers.resendRequested([Self.trace(number)]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let pending = try markers.pendingResends().map(\.trace)
        #expect(Set(pending) == Set((12..<48).map { Self.trace($0) }))
        #expect(pending.count == 36)
    }
}
