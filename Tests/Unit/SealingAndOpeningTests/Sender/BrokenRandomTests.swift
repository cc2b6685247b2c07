import Envelope
import Primitives
import Testing

@testable import Sealing

struct BrokenRandomTests {
    @Test(arguments: [UInt8(0), 0x5A, 0xFF])
    func `a random source that stands still seals nothing, and says so (abuse case 33)`(_ byte: UInt8) throws {
        let pair = try Pair(seed: 470)
        let recipient = try pair.recipient()
        let prepared = try PreparedMessage(Message(body: "Hello"), sentAt: Pair.start)
        var constant = ConstantRandom(byte: byte)
        var failure: SealingError?
        do throws(SealingError) {
            _ = try pair.sender.seal(prepared, for: recipient, now: Pair.start, random: &constant)
        } catch {
            failure = error
        }
        #expect(failure == .randomSourceFailed)
    }
}

private struct ConstantRandom: RandomSource {
    let byte: UInt8

    mutating func fill(_ span: inout MutableRawSpan) {
        for offset in 0..<span.byteCount { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
    }
}
