import Envelope
import Glibc
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Row 110: where a forgery broke must not show, neither in the outcome nor in the work done.
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
        // Each against the others in one run; the least of many is the work itself, free of what else the machine did.
        let (fastest, slowest) = (least.min() ?? 0, least.max() ?? .max)
        #expect(slowest < fastest * 3 / 2, "nanoseconds of \(least)")
    }

    private func cpuNanoseconds() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
