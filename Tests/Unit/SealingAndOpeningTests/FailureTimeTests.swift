import Envelope
import Platform
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Row 110: neither the outcome nor, within the decryption, the work done may show where a forgery failed.
struct FailureTimeTests {
    @Test func `a changed key, first byte, middle byte and tag fail with the same outcome after the same work`() throws
    {
        var pair = try Pair(seed: 70)
        let bytes = try pair.seal(Message(body: "Hello")).envelope.bytes
        let opener = pair.opener
        let fields = [10, 42, 1_400, 2_879].map { offset in
            var changed = bytes
            changed[offset] ^= 1
            return String(sealedFieldOf: changed)
        }
        var least = [UInt64](repeating: .max, count: fields.count)
        for _ in 0..<300 {
            for (index, field) in fields.enumerated() {
                let start = cpuNanoseconds()
                let outcome = opener.outcome(sealedField: field, now: Pair.start)
                least[index] = min(least[index], cpuNanoseconds() - start)
                #expect(outcome == .malformed)
            }
        }
        // Each against the others in one run; the least of many is the work itself, without the machine's other load.
        let (fastest, slowest) = (least.min() ?? 0, least.max() ?? .max)
        #expect(slowest < fastest * 3 / 2, "nanoseconds of \(least)")
    }

    @Test func `a forgery that fails at any step has one outcome, without a word of where (abuse case 110)`() throws {
        var pair = try Pair(seed: 71)
        let honest = try pair.seal(frame: pair.frame()).bytes
        let lowOrder = Array(honest[..<10]) + [UInt8](repeating: 0, count: 32) + Array(honest[42...])
        let wrongTag = Array(honest.dropLast()) + [honest[honest.count - 1] ^ 1]
        let last = PushClass.alert.frameByteCount(.x25519) - 1
        let start = Pair.start.milliseconds
        let forgeries: [(String, [UInt8])] = [
            ("length", Array(honest.dropLast())), ("low order", lowOrder), ("tag", wrongTag),
            ("padding", try pair.seal(frame: pair.frame()) { $0[last] = 1 }.bytes),
            (
                "sender's key",
                try pair.seal(frame: pair.frame()) {
                    $0.replaceSubrange(32..<64, with: [UInt8](repeating: 0, count: 32))
                }.bytes
            ),
            ("signature", try pair.seal(frame: pair.frame()) { $0[70] ^= 1 }.bytes),
            ("times", try pair.seal(frame: pair.frame(expiresAt: start)).bytes),
            ("body", try pair.seal(frame: pair.frame(body: "{}")).bytes),
        ]
        let opener = pair.opener
        for (name, bytes) in forgeries {
            let opened = opener.open(sealedField: String(sealedFieldOf: bytes), now: Pair.start)
            #expect(opened.outcome == .malformed, "\(name)")
            #expect(opened.claim == nil && opened.replayed == nil && !opened.isFirst, "\(name)")
        }
    }

    private func cpuNanoseconds() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
