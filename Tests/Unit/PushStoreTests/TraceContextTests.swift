import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct TraceContextTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private static let example = "00-\(traceID)-\(parent)-01"

    @Test func `the source's example is read and written`() {
        #expect(TraceContext(Self.example)?.text == Self.example)
        #expect(TraceContext("00-\(Self.traceID)-\(Self.parent)-00")?.text.hasSuffix("-00") == true)
    }

    @Test(arguments: [
        ("unknown flags are cleared", "00-\(traceID)-\(parent)-ff", "00-\(traceID)-\(parent)-03"),
        ("a later version is read as this one", "01-\(traceID)-\(parent)-01", example),
        ("what a later version adds is dropped", "cc-\(traceID)-\(parent)-01-what-comes", example),
        (
            "one half of an id may be 0", "00-0000000000000000\(parent)-\(parent)-01",
            "00-0000000000000000\(parent)-\(parent)-01"
        ),
    ])
    func `a valid value is this version's`(_ what: String, _ text: String, _ expected: String) {
        #expect(TraceContext(text)?.text == expected, "\(what)")
    }

    @Test(arguments: [
        "", "-", "00", "00-\(traceID)-\(parent)-0", "00-\(traceID)-\(parent)-01-", "00-\(traceID)-\(parent)-01 ",
        " \(example)", "ff-\(traceID)-\(parent)-01", "cc-\(traceID)-\(parent)-01.more", "00-\(traceID)-\(parent)-011",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(traceID)-0000000000000000-01",
        "00-\(traceID.uppercased())-\(parent)-01", "00-\(traceID)_\(parent)-01", "0x-\(traceID)-\(parent)-01",
        "00-\(traceID.dropLast())é-\(parent)-01", "\(example),\(example)", "\(example)\n",
        "00-\(traceID)-\(parent)-0\0",
    ])
    func `what is not one counts as none`(_ text: String) { #expect(TraceContext(text) == nil) }

    @Test func `no change of one byte gives another format, and no bytes trap`() {
        var random = SeededRandom(seed: RunSeed.here())
        for _ in 0..<10_000 {
            var bytes = Array(Self.example.utf8)
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            bytes.removeLast(Int.random(in: 0...1, using: &random))
            guard let read = TraceContext(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(read.text.utf8.count == 55 && TraceContext(read.text) == read)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `it is kept with its notification, and goes on to a replay`(_ engine: StoreEngine) async throws {
        let context = try #require(TraceContext(Self.example))
        try await engine.with { store in
            var entry = try StorePattern.entry(1)
            entry.traceContext = context
            let ids = try await store.store(entry, try StorePattern.entry(2))
            let taken = try await store.sendAll()
            #expect(taken.map(\.entry.traceContext) == [context, nil])
            for one in taken { _ = try await store.finish(one, .dead(.rejected)) }
            let tenant = try StorePattern.tenant(1)
            let replay = Replay(id: ids[0], apnsID: StorePattern.apnsID(9), deadline: .after(60))
            guard case .replayed(let new) = try await store.replay([replay], tenant: tenant, now: .after(0))[0] else {
                throw NotStored()
            }
            #expect(try await store.entries([new], tenant: tenant)[0]?.traceContext == context)
        }
    }
}
