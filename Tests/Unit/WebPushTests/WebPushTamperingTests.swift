import Testing

@testable import WebPush

struct WebPushTamperingTests {
    private let example: RFC8291Example
    private let record: [UInt8]
    private let opener: WebPushOpener

    init() throws {
        example = try RFC8291Example.load()
        record = try example.body.bytes()
        opener = WebPushOpener(keys: try example.keys())
    }

    @Test func `every single bit outside the record size, flipped, makes it open as nothing (abuse case 41)`() {
        var refusals = 0
        for bit in 0..<record.count * 8 where !(128..<160).contains(bit) {
            var changed = record
            changed[bit / 8] ^= 0x80 >> (bit % 8)
            let error = outcome(changed).error
            switch bit {
            case 160..<168: #expect(error == .record(.wrongKeyIDLength(changed[20])), "bit \(bit)")
            case 168..<688: #expect(error == .record(.badPublicKey), "bit \(bit)")
            default: #expect(error == .notOpened, "bit \(bit)")
            }
            refusals += error == nil ? 0 : 1
        }
        #expect(refusals == (144 - 4) * 8)
    }

    /// Nothing authenticates those four bytes: a message that opens under another record size must still be the same
    /// message, and known as such.
    @Test func `every bit of the record size, flipped, changes neither text nor replay key (rule 38, abuse case 41)`() {
        for bit in 128..<160 {
            var changed = record
            changed[bit / 8] ^= 0x80 >> (bit % 8)
            // Bit 147 is the only one that is set in 4,096: without it no record has room.
            if bit == 147 {
                #expect(outcome(changed).error == .record(.recordSizeTooSmall(0)))
            } else {
                #expect(outcome(changed).plaintext == outcome(record).plaintext, "bit \(bit)")
            }
            #expect(WebPushOpener.replayKey(ofRecord: changed) == WebPushOpener.replayKey(ofRecord: record))
        }
        #expect(outcome(record).plaintext?.count == 41)
    }

    @Test func `the record, truncated at every length, is refused (abuse case 41)`() {
        for count in record.indices {
            let error = outcome(Array(record.prefix(count))).error
            #expect(error == (count < 103 ? .record(.truncated) : .notOpened), "\(count) bytes")
        }
    }

    @Test func `a byte more is refused, whatever it is (abuse case 41)`() {
        for byte in [0, 1, 2, 0x10, 0xFF] as [UInt8] {
            #expect(outcome(record + [byte]).error == .notOpened)
        }
    }

    @Test(arguments: 0...16)
    func `a salt of another length moves what follows and is refused (abuse case 41)`(_ place: Int) {
        var longer = record
        longer.insert(0, at: place)
        #expect(outcome(longer).error != nil)
        var shorter = record
        shorter.remove(at: place)
        #expect(outcome(shorter).error != nil)
    }

    @Test func `another device's keys open nothing`() throws {
        let others = WebPushOpener(keys: try OtherKeys.make())
        let record = record
        #expect(throws: WebPushError.notOpened) { try others.open(record: record) }
    }

    @Test(arguments: [0, 1, 17, UInt32(57)])
    func `a record size below 18, or below the record's, is refused (abuse case 41)`(_ size: UInt32) {
        let expected: WebPushRecordError = size < 18 ? .recordSizeTooSmall(size) : .severalRecords
        #expect(outcome(record, recordSize: size).error == .record(expected))
    }

    @Test(arguments: [58, 59, 4_096, 65_536, UInt32.max])
    func `a record size that the record fits into is accepted`(_ size: UInt32) {
        #expect(outcome(record, recordSize: size).plaintext?.count == 41)
    }

    private func outcome(_ record: [UInt8], recordSize: UInt32) -> (plaintext: [UInt8]?, error: WebPushError?) {
        var changed = record
        for offset in 0..<4 { changed[16 + offset] = UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * offset)) }
        return outcome(changed)
    }

    private func outcome(_ record: [UInt8]) -> (plaintext: [UInt8]?, error: WebPushError?) {
        do throws(WebPushError) {
            return (try opener.open(record: record), nil)
        } catch {
            return (nil, error)
        }
    }
}
