import Envelope
import Foundation
import Keys
import Opening
import Platform
import Primitives
import TestSupport
import Testing
import WebPush

@testable import NotificationCore

/// Messages kept, sealed, until the device is unlocked (protocol v1, rule 19).
struct SpoolTests {
    private static let now = Phone.start
    private let folder: TemporaryFolder
    private let spool: Spool

    init() throws {
        folder = try TemporaryFolder()
        spool = Spool(path: folder.path("spool"))
    }

    private static func envelope(_ number: UInt8, _ pushClass: PushClass = .alert) -> Envelope {
        Envelope(
            pushClass: pushClass,
            header: EnvelopeHeader(suite: .x25519, prekeyID: [UInt8](repeating: number, count: 8)),
            encapsulatedKey: [UInt8](repeating: number, count: 32),
            ciphertext: [UInt8](repeating: number, count: pushClass.frameByteCount(.x25519) + Envelope.tagByteCount)
        )
    }

    private static func trace(_ number: UInt8) -> Trace { Trace(bytes: [UInt8](repeating: number, count: 16)) }

    private func add(_ numbers: some Sequence<UInt8>, _ pushClass: PushClass = .alert) throws {
        for number in numbers {
            let now = Self.now.advanced(by: .seconds(Int(number)))
            try spool.add(Self.envelope(number, pushClass), trace: Self.trace(number), now: now)
        }
    }

    private func contents() throws -> [SpooledMessage] {
        var all: [SpooledMessage] = []
        try spool.drain { message in
            all.append(message)
            return .keep
        }
        return all
    }

    @Test
    func `messages come out oldest first, with trace and arrival, and are gone once handled (protocol v1, rule 19)`()
        throws
    {
        try add(1...3)
        try spool.add(Self.envelope(4, .voip), trace: nil, now: Self.now.advanced(by: .seconds(4)))
        let expected = (1...3).map { number in
            SpooledMessage(
                .envelope(Self.envelope(number)),
                trace: Self.trace(number),
                arrivedAt: Self.now.advanced(by: .seconds(Int(number)))
            )
        }
        var all: [SpooledMessage] = []
        try spool.drain { message in
            all.append(message)
            return .done
        }
        #expect(Array(all.prefix(3)) == expected)
        #expect(all.last?.trace == nil)
        #expect(all.last?.envelope == Self.envelope(4, .voip))
        #expect(try spool.file.items().isEmpty)
    }

    @Test func `what is still locked stays, in its order (protocol v1, rule 19)`() throws {
        try add(1...4)
        try spool.drain { ($0.envelope?.header.prekeyID[0] ?? 0) % 2 == 0 ? .done : .keep }
        #expect(try contents().map(\.envelope) == [Self.envelope(1), Self.envelope(3)])
    }

    /// A message is on disk for as long as it is being handled.
    @Test func `a process that ends while it handles a message handles it again`() throws {
        try add(1...3)
        var countsOnDisk: [Int] = []
        try spool.drain { _ in
            // The number that a new process would find if this one ended here.
            countsOnDisk.append((try? Spool(path: folder.path("spool")).file.items().count) ?? -1)  // -1 fails below.
            return .done
        }
        #expect(countsOnDisk == [3, 2, 1])
    }

    @Test(arguments: [PushClass.alert, .voip])
    func `64 envelopes are kept at most, the newest, in a file that does not grow (protocol v1, rule 19)`(
        _ pushClass: PushClass
    ) throws {
        try add(1...1, pushClass)
        let byteCount = try WholeFile.read(folder.path("spool"), byteCountMax: 1 << 20).count
        try add(2...100, pushClass)
        #expect(try contents().map(\.envelope) == (37...100).map { Self.envelope($0, pushClass) })
        #expect(try WholeFile.read(folder.path("spool"), byteCountMax: 1 << 20).count == byteCount)
    }

    /// A relay that repeats one push must not displace the others.
    @Test func `the same envelope is kept once (protocol v1, rule 19)`() throws {
        try add(1...2)
        for number in 3...200 as ClosedRange<UInt8> {
            let now = Self.now.advanced(by: .seconds(Int(number)))
            try spool.add(Self.envelope(2), trace: Self.trace(number), now: now)
        }
        #expect(try contents().map(\.trace) == [Self.trace(1), Self.trace(2)])
    }

    @Test func `messages to destroyed prekeys are dropped, and no others (protocol v1, rule 19)`() throws {
        try add(1...4)
        let ids = try [2, 4].map { try #require(PrekeyID([UInt8](repeating: $0, count: 8))) }
        try spool.drop(sealedTo: ids)
        #expect(try contents().map(\.envelope) == [Self.envelope(1), Self.envelope(3)])
    }

    @Test func `what is damaged or no message goes, and the others are handed over`() throws {
        let good = SpooledMessage(.envelope(Self.envelope(2)), trace: Self.trace(2), arrivedAt: Self.now).bytes
        let versions = [[2], [3]].map { $0 + good.dropFirst() }
        for bad in versions + [Array(good.dropLast()), good + [0], [0x01]] as [[UInt8]] {
            try add(1...1)
            try spool.file.add(bad, key: bad, now: Self.now.advanced(by: .seconds(2))) { _ in false }
            try add(3...3)
            #expect(try spool.file.items().count == 3)
            #expect(try contents().map(\.envelope) == [Self.envelope(1), Self.envelope(3)])
            #expect(try spool.file.items().count == 2)
        }
    }

    @Test func `a spooled message cut anywhere, or longer, is none`() {
        let bytes = SpooledMessage(.envelope(Self.envelope(1)), trace: Self.trace(1), arrivedAt: Self.now).bytes
        #expect(SpooledMessage(bytes: bytes) != nil)
        for count in 0..<bytes.count { #expect(SpooledMessage(bytes: Array(bytes.prefix(count))) == nil) }
        #expect(SpooledMessage(bytes: bytes + [0]) == nil)
        var noTrace = bytes
        noTrace[9] = 2
        #expect(SpooledMessage(bytes: noTrace) == nil)
    }

    @Test func `a spooled Web Push message comes back as it was, and one of other characters is none`() throws {
        let message = SpooledMessage(.webPush("AQ_-"), trace: nil, arrivedAt: Self.now)
        try spool.add(message)
        try spool.add(message)
        let hint: [UInt8] = Array(0..<8)
        let others = [
            SpooledMessage(.webPush("AQ", endpoint: hint), trace: nil, arrivedAt: Self.now),
            SpooledMessage(.webPush("", endpoint: hint), trace: nil, arrivedAt: Self.now),
        ]
        for other in others { #expect(SpooledMessage(bytes: other.bytes) == other) }
        #expect(SpooledMessage(bytes: Array(others[1].bytes.dropLast())) == nil)
        #expect(try contents() == [message])
        try spool.drop(sealedTo: [])
        #expect(try spool.file.items().count == 1)
        for text in ["", "A Q", "\u{0}", String(repeating: "A", count: 5_577)] {
            let bytes = SpooledMessage(.webPush(text), trace: nil, arrivedAt: Self.now).bytes
            #expect(SpooledMessage(bytes: bytes) == nil)
        }
    }

    /// A relay chooses the length of a record that it hands out.
    @Test func `the longest record has its place, and a longer one is not kept`() throws {
        let longest = String(repeating: "A", count: 5_576)
        for field in [longest, longest + "A", String(repeating: "A", count: 1 << 20)] {
            let sealed = SpooledMessage.Sealed.webPush(field, .aesgcm, endpoint: Array(0..<8))
            try spool.add(SpooledMessage(sealed, trace: Self.trace(1), arrivedAt: Self.now))
        }
        let kept = SpooledMessage.Sealed.webPush(longest, .aesgcm, endpoint: Array(0..<8))
        #expect(try contents().map(\.sealed) == [kept])
    }

    @Test func `two records of one endpoint that only the relay has are both kept, each once`() throws {
        let references = ([1, 2] as [UInt8]).map { number in
            let sealed = SpooledMessage.Sealed.webPush("", endpoint: Array(0..<8))
            return SpooledMessage(sealed, trace: Self.trace(number), arrivedAt: Self.now)
        }
        for reference in references + references { try spool.add(reference) }
        #expect(try Set(contents().map(\.trace)) == Set(references.map(\.trace)))
        #expect(try spool.file.items().count == 2)
    }

    @Test func `many writers at once lose nothing and keep to the bounds`() async throws {
        let spool = spool
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 as Range<UInt8> {
                group.addTask {
                    for number in 0..<15 as Range<UInt8> {
                        let envelope = Self.envelope(task * 15 + number)
                        try spool.add(envelope, trace: nil, now: Self.now)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(contents().map { $0.envelope?.header.prekeyID }).count == 60)
    }

    @Test func `a file that is not to be had is a typed error`() throws {
        try FileManager.default.createDirectory(atPath: folder.path("spool"), withIntermediateDirectories: false)
        let refused = refusal { () throws(ContainerError) in
            try spool.add(Self.envelope(1), trace: nil, now: Self.now)
        }
        #expect(refused == .system(call: "open", code: EISDIR))
        for (code, expected) in [(EACCES, ContainerError.locked), (EPERM, .locked), (ENOSPC, .full), (EDQUOT, .full)] {
            #expect(ContainerError(FileError.system(call: "write", path: "/p", code: code)) == expected)
        }
    }
}
