import Keys
import Platform
import TestSupport
import Testing

@testable import NotificationCore

struct OutcomeCountersTests {
    private let folder: TemporaryFolder
    private let counters: OutcomeCounters

    init() throws {
        folder = try TemporaryFolder()
        counters = OutcomeCounters(path: folder.path("outcomes"))
    }

    private func bytes() throws -> [UInt8] { try WholeFile.read(counters.path, byteCountMax: 1_000) }

    @Test func `each kind is counted by itself, and taking begins anew`() throws {
        for kind in OutcomeKind.allCases {
            for _ in 0...OutcomeCounts.place(of: kind) { counters.add(kind) }
        }
        let counts = try counters.take()
        for kind in OutcomeKind.allCases { #expect(counts[kind] == OutcomeCounts.place(of: kind) + 1) }
        #expect(try counters.read() == OutcomeCounts())
    }

    @Test func `nothing was counted where there is no file`() throws {
        #expect(try counters.read() == OutcomeCounts())
    }

    @Test func `every kind has a place of its own`() {
        let places = OutcomeKind.allCases.map { OutcomeCounts.place(of: $0) }
        #expect(Set(places).count == places.count)
        #expect(places.allSatisfy { (0..<OutcomeCounts.cellCount).contains($0) })
    }

    @Test func `the file is for its owner only, and always of one size`() throws {
        counters.add(.opened)
        var status = stat()
        #expect(unsafe stat(counters.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        counters.add(.replay)
        #expect(try bytes().count == OutcomeCounts.byteCount)
    }

    @Test func `of a file with any one bit changed nothing is believed`() throws {
        counters.add(.opened)
        let good = try bytes()
        for index in good.indices {
            var bad = good
            bad[index] ^= 1 << UInt8(index % 8)
            #expect(OutcomeCounts(bytes: bad) == nil, "byte \(index)")
        }
    }

    @Test(arguments: [0, 1, 139, 141, 1_000])
    func `a file of another size is begun anew`(_ byteCount: Int) throws {
        try WholeFile.write([UInt8](repeating: 7, count: byteCount), to: counters.path, access: .ownerOnly)
        counters.add(.expired)
        #expect(try counters.read()[.expired] == 1)
        #expect(try bytes().count == OutcomeCounts.byteCount)
    }

    @Test func `a count stops at the largest number`() throws {
        var counts = OutcomeCounts()
        counts.add(.opened)
        var bytes = counts.bytes
        #expect(OutcomeCounts(bytes: bytes) == counts)
        bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var full = try #require(OutcomeCounts(bytes: OutcomeCounts.withCheck(bytes)))
        full.add(.opened)
        #expect(full[.opened] == Int(UInt32.max))
    }

    @Test func `threads lose no count of each other's`() async throws {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [counters] in for _ in 0..<100 { counters.add(.opened) } }
            }
        }
        #expect(try counters.read()[.opened] == 800)
    }

    @Test func `a lock that somebody holds for ever costs a count, and nobody waits for it`() throws {
        counters.add(.opened)
        let holder = unsafe open(counters.path, O_RDWR | O_CLOEXEC)
        #expect(flock(holder, LOCK_EX) == 0)
        counters.add(.opened)
        #expect(throws: ContainerError.system(call: "flock", code: EWOULDBLOCK)) { try counters.read() }
        // An explicit unlock first: a child of another test's may have the descriptor until its exec.
        #expect(flock(holder, LOCK_UN) == 0)
        close(holder)
        #expect(try counters.read()[.opened] == 1)
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `a full disk costs the first count, and later counts have their room`() throws {
        let device = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 0 })
        device.change { $0.storage = .full }
        device.run { counters.add(.opened) }
        counters.add(.opened)
        device.run { counters.add(.opened) }
        #expect(try counters.read()[.opened] == 2)
    }
    #endif
}

extension OutcomeCounts {
    /// The same bytes with their right check value.
    fileprivate static func withCheck(_ bytes: [UInt8]) -> [UInt8] {
        let head = bytes.dropLast(8)
        let check = head.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return head + (0..<8).reversed().map { UInt8(truncatingIfNeeded: check >> ($0 * 8)) }
    }
}
