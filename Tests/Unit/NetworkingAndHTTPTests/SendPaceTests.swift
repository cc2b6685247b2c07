import TestSupport
import Testing

@testable import HTTP

/// A peer that reopens its window at the end of a frame, once half of it or more is used up.
private struct HalfwayPeer {
    var window = SendPace.windowByteCount
    private var usedByteCount = 0

    mutating func receive(_ byteCount: Int) -> Int {
        usedByteCount += byteCount
        guard usedByteCount >= SendPace.windowByteCount / 2 else { return 0 }
        defer { usedByteCount = 0 }
        return usedByteCount
    }
}

struct SendPaceTests {
    /// Sends bodies of one length until the window is used up, reads what the peer gives back for it, and so on.
    private func byteCounts(bodyByteCount: Int, rounds: Int, isPaced: Bool) -> [Int] {
        var pace = SendPace()
        var peer = HalfwayPeer()
        var window = SendPace.windowByteCount
        var rest = bodyByteCount
        return (0..<rounds).map { _ in
            var sent = 0
            var given = 0
            while window > 0 {
                var count = min(rest, window)
                if isPaced { count = min(count, pace.byteCountToMark(window: window)) }
                pace.didSend(count)
                window -= count
                sent += count
                rest -= count
                if rest == 0 { rest = bodyByteCount }
                given += peer.receive(count)
            }
            window = given
            return sent
        }
    }

    @Test(arguments: [700, 1_000, 1_024, 3_000, 4_096, 5_120])
    func `a peer that gives back halves gets a whole window in every round trip`(bodyByteCount: Int) {
        let sent = byteCounts(bodyByteCount: bodyByteCount, rounds: 20, isPaced: true)
        #expect(sent.allSatisfy { $0 == 65_535 })
    }

    @Test func `without the marks it would be given less`() {
        let sent = byteCounts(bodyByteCount: 1_000, rounds: 20, isPaced: false)
        let sum = sent.reduce(0, +)
        #expect(sum < 1_179_000, "nine tenths of twenty windows")
    }

    @Test func `a window that was opened wider has no marks`() {
        #expect(SendPace().byteCountToMark(window: 65_536) == .max)
    }
}
