import Envelope
import Keys
import TestSupport
import Testing

@testable import NotificationCore

/// The map from messages to the notifications that show them (protocol v1, rule 27).
struct RequestMapTests {
    private let folder: TemporaryFolder
    private let map: RequestMap

    init() throws {
        folder = try TemporaryFolder()
        map = RequestMap(path: folder.path("requests"))
    }

    private func key(_ number: Int, sender: SenderKey = Samples.sender) -> RequestMap.Key {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes[0] = UInt8(number & 0xFF)
        bytes[1] = UInt8(number >> 8)
        return RequestMap.Key(sender: sender, messageID: MessageID(bytes: bytes))
    }

    @Test func `what was shown is found by its message, and by nobody else's`() throws {
        #expect(try map.requestID(for: key(1)) == nil)
        try map.record("one", for: [key(1)])
        try map.record("two", for: [key(2), key(3)])
        #expect(try map.requestID(for: key(1)) == "one")
        #expect(try map.requestID(for: key(2)) == "two")
        #expect(try map.requestID(for: key(3)) == "two")
        #expect(try map.requestID(for: key(1, sender: Samples.key(seed: 2))) == nil)
        try map.record("newer", for: [key(1)])
        #expect(try map.requestID(for: key(1)) == "newer")
    }

    @Test func `of 600 messages the newest 512 are known`() throws {
        for number in 0..<600 { try map.record("request \(number)", for: [key(number)]) }
        for number in 0..<600 {
            #expect(try map.requestID(for: key(number)) == (number < 88 ? nil : "request \(number)"))
        }
        #expect(try WholeFile.read(folder.path("requests"), byteCountMax: 1 << 20).count == RequestMap.byteCount)
    }

    @Test(arguments: [(0, false), (1, true), (128, true), (129, false)])
    func `an identifier of 1 to 128 bytes is kept`(_ count: Int, _ isKept: Bool) throws {
        let id = String(repeating: "x", count: count)
        try map.record(id, for: [key(1)])
        #expect(try map.requestID(for: key(1)) == (isKept ? id : nil))
    }

    @Test func `whatever is done to the file, it is a map that takes more`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for number in 0..<20 { try map.record("request \(number)", for: [key(number)]) }
        let whole = try WholeFile.read(folder.path("requests"), byteCountMax: 1 << 20)
        for _ in 0..<200 {
            var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
            for _ in 0..<8 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
            }
            try WholeFile.write(bytes, to: folder.path("requests"), access: .ownerOnly)
            for number in 0..<20 {
                let found = try map.requestID(for: key(number))
                #expect(found.map { $0.utf8.count <= RequestMap.requestByteCountMax } ?? true, "seed \(seed)")
            }
            try map.record("after", for: [key(1_000)])
            #expect(try map.requestID(for: key(1_000)) == "after", "seed \(seed)")
        }
    }

    @Test func `eight threads with files of their own lose no message`() async throws {
        let path = folder.path("requests")
        let keys = (0..<400).map { key($0) }
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    let map = RequestMap(path: path)
                    // A failure would leave a message out.
                    for number in 0..<50 {
                        try? map.record("r\(thread * 50 + number)", for: [keys[thread * 50 + number]])
                    }
                }
            }
        }
        for number in 0..<400 { #expect(try map.requestID(for: keys[number]) == "r\(number)") }
    }
}
