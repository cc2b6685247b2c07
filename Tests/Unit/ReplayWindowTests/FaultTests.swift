import Envelope
import Glibc
import Keys
import Primitives
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

/// A store that cannot be read, written or believed gives no verdict (protocol v1, rule 26).
struct FaultTests {
    private let site: Window
    private let image: Image
    private static let knownCount: UInt64 = 3_000

    init() throws {
        site = try Window()
        for number in 1...Self.knownCount {
            let sender = number % 2 == 0 ? alice : bob
            let verdict = try site.window.claim(Self.stamp(number), now: now)
            if number % 3 == 0 { try site.window.commit(try #require(verdict.claim)) }
            if number % 100 == 0 { _ = try site.window.order(Self.remove(number, from: sender)) }
        }
        image = try Image(path: site.path)
    }

    private static func stamp(_ number: UInt64) -> MessageStamp {
        MessageStamp(number, from: number % 2 == 0 ? alice : bob, lifetime: hour + number)
    }

    private static func remove(_ number: UInt64, from sender: SenderKey) -> OrderedChange {
        OrderedChange(
            sender: sender,
            target: ProbeMessages.id(number + 1_000_000),
            messageID: ProbeMessages.id(number + 2_000_000),
            sentAt: now,
            kind: .remove,
            keepUntil: now + 1_000 * hour
        )
    }

    private static func show(_ number: UInt64) -> OrderedChange {
        OrderedChange(
            sender: number % 2 == 0 ? alice : bob,
            target: nil,
            messageID: ProbeMessages.id(number + 1_000_000),
            sentAt: now - 1,
            kind: .show,
            keepUntil: now + 1_000 * hour
        )
    }

    enum Damage: CaseIterable { case oneBit, allBits, zeros, noise }

    private func damage(_ page: Int, _ kind: Damage, _ random: inout SeededRandom) throws {
        let range = page * WindowLayout.pageByteCount..<(page + 1) * WindowLayout.pageByteCount
        var bytes = Array(image.bytes[range])
        switch kind {
        case .oneBit:
            bytes[.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .allBits: for index in bytes.indices { bytes[index] ^= 0xFF }
        case .zeros: bytes = [UInt8](repeating: 0, count: bytes.count)
        case .noise: bytes = random.bytes(count: bytes.count)
        }
        try image.write(bytes[...], at: range.lowerBound)
    }

    private func numbersByPage() throws -> [Int: [UInt64]] {
        let file = try WindowFile(path: site.path, onWrite: nil)
        let salt = try WindowCore(file: file, uptime: TestUptime.current).identity.salt
        var pair = RecordPair()
        var numbers: [Int: [UInt64]] = [:]
        for number in 1...Self.knownCount {
            try pair.read(Self.stamp(number).key, salt: salt, from: file)
            for page in pair.numbers { numbers[WindowLayout.recordPages.lowerBound + page, default: []].append(number) }
        }
        return numbers
    }

    @Test(arguments: Damage.allCases)
    func `no damaged page makes a known id new (protocol v1, rule 26; abuse case 49)`(_ kind: Damage) throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let byPage = try numbersByPage()
        var damagedCount = 0
        for page in 0..<WindowLayout.pageCount {
            try damage(page, kind, &random)
            let numbers = byPage[page]?.prefix(4) ?? [1, 2, 500, 601]
            for number in numbers {
                do throws(ReplayWindowError) {
                    let verdict = try ReplayWindow(folder: site.folder.path, onWrite: nil, uptime: TestUptime.read)
                        .claim(
                            Self.stamp(number),
                            now: now
                        )
                    #expect(!verdict.isNew, "page \(page), id \(number), \(kind), seed \(seed)")
                } catch {
                    #expect(error == .damaged, "page \(page), \(kind), seed \(seed)")
                    damagedCount += 1
                }
            }
            try image.restore()
        }
        // The test found its damage.
        #expect(damagedCount > (kind == .oneBit ? 50 : 2_000), "\(damagedCount), seed \(seed)")
    }

    @Test(arguments: Damage.allCases)
    func `no damaged page shows what was removed (protocol v1, rules 26 and 27; abuse case 49)`(_ kind: Damage) throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for page in 0..<WindowLayout.orderPages.upperBound {
            try damage(page, kind, &random)
            for number in stride(from: 100, through: Self.knownCount, by: 100) {
                do throws(ReplayWindowError) {
                    let window = try ReplayWindow(folder: site.folder.path, onWrite: nil, uptime: TestUptime.read)
                    let verdict = try window.order(Self.show(number))
                    #expect(verdict == .superseded, "page \(page), \(number), \(kind), seed \(seed)")
                } catch {
                    #expect(error == .damaged, "page \(page), \(kind), seed \(seed)")
                }
            }
            try image.restore()
        }
    }

    @Test func `a file of any other size is damaged, and only the app replaces it (abuse case 49)`() throws {
        for page in 0..<WindowLayout.pageCount {
            for byteCount in [page * 4_096, page * 4_096 + 1, (page + 1) * 4_096 - 1] {
                try image.truncate(to: byteCount)
                #expect(throws: ReplayWindowError.damaged, "\(byteCount)") { try site.reopened() }
            }
        }
        try image.truncate(to: WindowLayout.byteCount + 1)
        #expect(throws: ReplayWindowError.damaged) { try site.reopened() }
        var random = SeededRandom(seed: 5)
        #expect(throws: ReplayWindowError.damaged) {
            try ReplayWindow(folder: site.folder.path, ifMissing: .refuse, random: &random, uptime: TestUptime.read)
        }
        let replaced = try ReplayWindow(
            folder: site.folder.path,
            ifMissing: .create,
            random: &random,
            uptime: TestUptime.read
        )
        #expect(replaced.store.id != site.window.store.id)
        #expect(throws: ReplayWindowError.missing) { try site.window.claim(Self.stamp(1), now: now) }
    }

    @Test func `a file that shrinks under an open window is damaged, not a signal (abuse case 49)`() throws {
        for pages in [0, 1, 2, 50, 130, 500, 975] {
            try image.truncate(to: pages * 4_096)
            var errors = 0
            for number: UInt64 in 1...40 {
                do throws(ReplayWindowError) {
                    #expect(try !site.window.claim(Self.stamp(number), now: now).isNew)
                } catch {
                    #expect(error == .damaged)
                    errors += 1
                }
            }
            #expect(errors > 0 || pages == 975)
            try image.restore()
        }
    }

    @Test func `a window before the first unlock is locked, for the app too (protocol v1, rule 26; abuse case 49)`()
        throws
    {
        for mode: mode_t in [0o000, 0o400, 0o200] {
            try succeed(unsafe chmod(site.path, mode))
            for ifMissing in [ReplayWindow.IfMissing.create, .refuse] {
                let error = try Unprivileged.run {
                    refusal { () throws(ReplayWindowError) in
                        var random = SeededRandom(seed: 1)
                        _ = try ReplayWindow(
                            folder: site.folder.path,
                            ifMissing: ifMissing,
                            random: &random,
                            uptime: TestUptime.read
                        )
                    }
                }
                #expect(error == .locked, "mode \(String(mode, radix: 8))")
            }
        }
        try succeed(unsafe chmod(site.path, 0o600))
        #expect(try site.reopened().claim(Self.stamp(1), now: now) == .replay)
    }

    @Test func `a folder that cannot be written is locked, and gets no file (abuse case 49)`() throws {
        let folder = try TemporaryFolder()
        try succeed(unsafe chmod(folder.path, 0o555))
        let error = try Unprivileged.run {
            refusal { () throws(ReplayWindowError) in
                var random = SeededRandom(seed: 1)
                _ = try ReplayWindow(folder: folder.path, ifMissing: .create, random: &random, uptime: TestUptime.read)
            }
        }
        try succeed(unsafe chmod(folder.path, 0o755))
        #expect(error == .locked)
        #expect(try folder.names() == [])
    }

    @Test func `anything but a file in its place is damaged`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(WindowLayout.name)
        try succeed(unsafe symlink(site.path, path))
        #expect(throws: ReplayWindowError.damaged) {
            try ReplayWindow(folder: folder.path, onWrite: nil, uptime: TestUptime.read)
        }
        try succeed(unsafe unlink(path))
        try succeed(unsafe mkfifo(path, 0o600))
        #expect(throws: ReplayWindowError.damaged) {
            try ReplayWindow(folder: folder.path, onWrite: nil, uptime: TestUptime.read)
        }
        try succeed(unsafe unlink(path))
        try succeed(unsafe mkdir(path, 0o700))
        #expect(throws: ReplayWindowError.damaged) {
            try ReplayWindow(folder: folder.path, onWrite: nil, uptime: TestUptime.read)
        }
    }

    @Test(arguments: [ReplayWindowError.full, .locked, .system(call: "pwrite", code: EIO)])
    func `a write that fails is an error, and no id is lost or new twice (protocol v1, rule 26; abuse case 49)`(
        _ error: ReplayWindowError
    ) throws {
        let log = WriteLog()
        let window = try site.reopened(onWrite: log.observer)
        #expect(try window.claim(Self.stamp(Self.knownCount + 1), now: now + 50_000).isNew)
        let writeCount = log.writes.count
        #expect(writeCount >= 4)
        for after in 0...writeCount {
            let stamp = Self.stamp(Self.knownCount + 2 + UInt64(after))
            log.fail(after: after, error)
            let time = now + UInt64(after + 1) * 100_000
            let failure = refusal { () throws(ReplayWindowError) in _ = try window.claim(stamp, now: time) }
            log.succeed()
            #expect(failure == (after < writeCount ? error : nil), "after \(after)")
            for known: UInt64 in 1...20 { #expect(try !window.claim(Self.stamp(known), now: time).isNew) }
            // Either none or all of it took effect; after 35 seconds the claim is free.
            let again = try window.claim(stamp, now: time)
            #expect(after == 0 ? again.isNew : again == .replay, "after \(after)")
            #expect(try window.claim(stamp, now: time) == .replay)
            #expect(try window.claim(stamp, now: time + 36_000).isReclaimed)
        }
    }

    @Test(arguments: [0, 1, 100, 3_900])
    func `a disk without room for a window is full, and keeps nothing of it (abuse case 49)`(_ blocks: Int) throws {
        let folder = try TemporaryFolder()
        let run = try Probe.run("ulimit -f \(blocks); trap '' XFSZ; exec \"$0\" create \"$1\"", folder.path)
        #expect(run == "failed: full\n")
        #expect(try folder.names() == [])
    }
}

/// Expects a system call of the test's own to succeed.
private func succeed(_ code: Int32, _ location: SourceLocation = #_sourceLocation) throws {
    try #require(code == 0, sourceLocation: location)
}
