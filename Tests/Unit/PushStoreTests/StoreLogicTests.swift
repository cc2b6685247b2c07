import APNS
import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct StoreLogicTests {
    @Test func `places are shared until nobody wants more`() {
        #expect(FairShare.divide(10, among: [100, 2, 100], startingAt: 0) == [4, 2, 4])
        #expect(FairShare.divide(10, among: [3, 3], startingAt: 0) == [3, 3])
        #expect(FairShare.divide(2, among: [9, 9, 9], startingAt: 0) == [1, 1, 0])
        #expect(FairShare.divide(2, among: [9, 9, 9], startingAt: 2) == [1, 0, 1])
        #expect(FairShare.divide(0, among: [9], startingAt: 0) == [0])
        #expect(FairShare.divide(5, among: [], startingAt: 3) == [])
    }

    @Test func `of any demand nobody gets more than it wants, and no place is left while somebody wants it`() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<2_000 {
            let wanted = (0..<Int.random(in: 1...9, using: &random)).map { _ in Int.random(in: 0...30, using: &random) }
            let limit = Int.random(in: 0...100, using: &random)
            let shares = FairShare.divide(limit, among: wanted, startingAt: Int.random(in: 0...99, using: &random))
            #expect(shares.reduce(0, +) == min(limit, wanted.reduce(0, +)))
            #expect(zip(shares, wanted).allSatisfy { $0 <= $1 })
            let unsatisfied = zip(shares, wanted).filter { $0 < $1 }.map(\.0)
            // A tenant that did not get all has as much as the largest share, or one less.
            if let least = unsatisfied.min() { #expect((shares.max() ?? 0) <= least + 1) }
        }
    }

    @Test func `ids grow, whatever the clock does (abuse case 98)`() {
        var sequence = EntrySequence(last: 0, incarnation: 5)
        var last: Int64 = 0
        for milliseconds: UInt64 in [5, 5, 4, 0, 1_793_491_200_000, 10, .max, 0, .max] {
            for _ in 0..<3 {
                let next = sequence.next(milliseconds: milliseconds)
                #expect(next > last && next < 1 << 55)
                last = next
            }
        }
    }

    @Test func `SQLite's results tell overload and a lost write from other failures`() throws {
        let file = try StoreAtRest()
        try file.execute("")
        let connection = try SQLiteConnection(path: file.path, fileSystem: nil)
        let results: [(code: Int32, error: StoreError, effect: StoreError.Effect)] = [
            (5, .overloaded, .overloaded), (6, .overloaded, .overloaded), (13, .full, .overloaded),
            (10 | 4 << 8, .broken, .broken), (10 | 3 << 8, .unwritable, .overloaded), (11, .damaged, .uncertain),
            (10 | 2 << 8, .failed(operation: .step, code: 10 | 2 << 8), .uncertain),
        ]
        for (code, error, effect) in results {
            #expect(connection.failure(.step, code) == error && error.effect == effect, "\(code)")
        }
    }

    @Test func `every length and every flipped bit changes the checksum`() {
        let bytes = StorePattern.payload(1, byteCount: 37)
        func sum(_ parts: [UInt8]...) -> UInt64 {
            var sum = Checksum()
            parts.forEach { sum.add($0) }
            return sum.value
        }
        var sums: Set = [sum(bytes), sum(bytes, []), sum([], bytes), sum(Array(bytes.dropLast())), sum(bytes + [0])]
        sums.insert(sum(Array(bytes.prefix(9)), Array(bytes.dropFirst(9))))
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            sums.insert(sum(flipped))
        }
        #expect(sums.count == 6 + 8 * bytes.count)
    }

    @Test func `devices spread over all shards`() throws {
        var counts = [Int](repeating: 0, count: Shard.count)
        for number in 0..<6_400 {
            let shard = Shard(tenant: try StorePattern.tenant(1), device: try StorePattern.device(number))
            counts[shard.index] += 1
        }
        #expect(counts.allSatisfy { (50...160).contains($0) }, "\(counts)")
    }

    @Test func `a header is read as it was written, and no byte of it can be cut or flipped unseen`() throws {
        for number in 1...6 as ClosedRange<UInt64> {
            var entry = try StorePattern.entry(number)
            if number.isMultiple(of: 2) {
                entry.traceContext = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\(number / 2)")
            }
            if number > 3 { entry.purpose = TokenPurpose(.liveActivity, name: "order-\(number)") }
            let header = EntryHeader.encode(entry)
            let fields = try #require(EntryHeader.decode(header))
            #expect(fields.device == entry.device && fields.topic == entry.topic)
            #expect(fields.collapseID == entry.collapseID && fields.priority == entry.priority)
            #expect(fields.pushType == entry.pushType && fields.expiration == entry.expiration)
            #expect(fields.traceContext == entry.traceContext)
            #expect(fields.purpose == entry.purpose)
            for count in 0..<header.count { #expect(EntryHeader.decode(Array(header.prefix(count))) == nil) }
            #expect(EntryHeader.decode(header + [0]) == nil)
        }
    }

    @Test func `attempts keep nothing of a stranger's text but its printable beginning (abuse case 92)`() {
        let attempt = Attempt(
            time: StorePattern.start,
            connection: .answered,
            status: 99_999,
            reason: "Bad\r\n\u{1B}[31mToken\u{202E}" + String(repeating: "x", count: 500)
        )
        #expect(attempt.status == nil)
        #expect(attempt.reason == "Bad[31mToken" + String(repeating: "x", count: 52))
    }

    @Test func `neither errors nor descriptions of a registration show its token`() throws {
        let registration = try StorePattern.registration(1)
        var text = ""
        dump(registration, to: &text)
        text += "\(registration)"
        #expect(!text.contains(registration.token.hex))
        #expect(!text.contains("\(registration.token.bytes)"))
    }
}
