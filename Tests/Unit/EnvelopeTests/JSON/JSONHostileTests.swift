import Foundation
import TestSupport
import Testing

@testable import Envelope

struct JSONHostileTests {
    @Test(arguments: validDocuments)
    func `a document cut at any byte ends before its value does (abuse case 2)`(_ text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(refused(Array(bytes[..<count])) == JSONError(reason: .unexpectedEnd, offset: count))
        }
    }

    @Test(arguments: validDocuments)
    func `refuses a byte order mark`(_ text: String) {
        #expect(refused([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == JSONError(reason: .byteOrderMark, offset: 0))
    }

    @Test(arguments: validDocuments, [true, false])
    func `refuses UTF-16 with and without a mark, either end first`(_ text: String, _ isBigEndian: Bool) {
        func bytes(_ text: String) -> [UInt8] {
            text.utf16.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBigEndian ? pair : pair.reversed()
            }
        }
        #expect(refused(bytes("\u{FEFF}" + text)) == JSONError(reason: .byteOrderMark, offset: 0))
        let reasons: [JSONError.Reason] = [.expectedValue, .expectedNameOrEnd]
        #expect(refused(bytes(text)).map { reasons.contains($0.reason) && $0.offset <= 1 } == true)
    }

    @Test func `refuses UTF-32`() {
        #expect(refused([0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0, 0x7D, 0, 0, 0])?.reason == .byteOrderMark)
        #expect(refused([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x7B, 0, 0, 0, 0x7D])?.reason == .expectedValue)
        #expect(refused([0, 0, 0, 0x7B, 0, 0, 0, 0x7D])?.reason == .expectedValue)
    }

    /// Our reader is the stricter one: Foundation's accepts everything that it does.
    @Test(arguments: [RunSeed.here()])
    func `of 10,000 mutations none traps, and what is accepted is JSON to Foundation too`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let originals = validDocuments.map { Array($0.utf8) }
        var acceptedCount = 0
        var refusedCount = 0
        for _ in 0..<10_000 {
            let bytes = mutation(of: originals[Int.random(in: 0..<originals.count, using: &random)], using: &random)
            if let error = refused(bytes) {
                refusedCount += 1
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
            } else {
                acceptedCount += 1
                #expect(throws: Never.self, "seed \(seed)") {
                    _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
                }
            }
        }
        #expect(acceptedCount > 100 && refusedCount > 1_000, "seed \(seed): \(acceptedCount), \(refusedCount)")
    }

    @Test(arguments: [RunSeed.here()])
    func `no sequence of JSON's own characters traps`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array(#"{}[]":,\/unrtbfalse0123456789.eE+- "#.utf8) + [0x00, 0x0A, 0xC3, 0xA9, 0xED, 0xA0, 0x80]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &random)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            if let error = refused(bytes) { #expect((0...count).contains(error.offset), "seed \(seed)") }
        }
    }

    /// One to three edits: a bit, a byte, a piece removed, doubled or moved in from elsewhere.
    private func mutation(of original: [UInt8], using random: inout SeededRandom) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = Int.random(in: start...min(start + 8, bytes.count), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: end)
            default: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
        return bytes
    }
}
