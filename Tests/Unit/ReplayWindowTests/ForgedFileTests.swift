import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

/// Files with valid checksums that no window writes, as any writer of the file could forge. The file holds no secret
/// and is never believed against a signature; but it must not end the process that reads it.
struct ForgedFileTests {
    private let site: Window
    private let image: Image

    init() throws {
        site = try Window()
        _ = try site.window.claim(MessageStamp(1), now: now)
        image = try Image(path: site.path)
    }

    private func write(_ words: [UInt64], at offset: Int) throws {
        try image.write(unsafe words.withUnsafeBytes { unsafe [UInt8]($0) }[...], at: offset)
    }

    private func writeHeader(_ change: (inout WindowHeader) -> Void) throws {
        var header = WindowHeader()
        change(&header)
        try write(header.words, at: WindowHeader.wordIndex * 8)
    }

    private func slot(of sender: SenderKey) throws -> Int {
        var core = try WindowCore(file: WindowFile(path: site.path, onWrite: nil), uptime: TestUptime.current)
        let place = try core.find(core.id(of: sender))
        return core.slot(place)
    }

    @Test(arguments: [845, 846, 847, 2_000, 0xFFFF])
    func `a sweep that says it is past the last page is none (abuse case 49)`(_ nextPage: UInt64) throws {
        let slot = try slot(of: alice)
        try writeHeader { $0.sweptSlot = slot }
        let sweep = [UInt64(slot) << 48 | nextPage << 32, 0]
        try write(
            [WindowCheck.digest(sweep[...])] + sweep,
            at: WindowLayout.offset(ofPage: WindowLayout.sweepPage)
        )
        let window = try site.reopened()
        #expect(try window.claim(MessageStamp(2), now: now).isNew)
        #expect(try window.claim(MessageStamp(1), now: now) == .replay)
        #expect(try window.row(of: alice)?.count == 2 || nextPage < 846)
    }

    @Test func `a generation that could not grow is damaged (protocol v1, rule 15)`() throws {
        try writeHeader { $0.generation = .max }
        #expect(throws: ReplayWindowError.damaged) { try site.window.advanceGeneration() }
        #expect(throws: ReplayWindowError.damaged) { try site.reopened() }
        try writeHeader { $0.generation = WindowHeader.generationMax - 1 }
        #expect(try site.reopened().advanceGeneration().generation == WindowHeader.generationMax)
    }

    @Test func `a count that is as high as its field does not raise the floor beside it (protocol v1, rule 24)`() throws
    {
        let slot = try slot(of: alice)
        var row = try #require(try site.window.row(of: alice))
        row.count = 0xFFFF
        (row.nextFloor, row.nextCount) = (now.milliseconds + 100 * hour, 0xFFFF)
        try write(row.words, at: WindowLayout.offset(ofSender: slot))
        let window = try site.reopened()
        // Evicts all entries that the row claims, up to its floor.
        #expect(try window.claim(MessageStamp(2, lifetime: 101 * hour), now: now).isNew)
        #expect(try window.row(of: alice)?.floor == now.milliseconds + 100 * hour)
        row.nextCount = 0
        row.nextFloor += 2
        try write(row.words, at: WindowLayout.offset(ofSender: slot))
        let stamp = MessageStamp(3, lifetime: 100 * hour + 3)
        #expect(try site.reopened().claim(stamp, now: now).isNew)
        #expect(try site.reopened().claim(stamp, now: now) == .replay)
        #expect(try window.row(of: alice)?.floor == now.milliseconds + 100 * hour + 2)
    }
}
