import APNS
import TestSupport
import Testing

@testable import APNSSimulator

/// Absurd streams, against the second parser.
struct LegacyStreamTests {
    private static func meaning(_ steps: [LegacyConnection.Step]) -> [LegacyReference.Outcome] {
        steps.map { step in
            switch step {
            case .accepted(let notification, let command):
                .taken(
                    command: command.rawValue,
                    token: notification.deviceToken.bytes,
                    payload: notification.payload,
                    identifier: notification.identifier,
                    expiry: notification.expiresAt,
                    priority: notification.priority.rawValue
                )
            case .end(let packet?): .refused(status: packet.status.rawValue, identifier: packet.identifier)
            case .end(nil), .wait: .cut
            }
        }
    }

    /// A short notification of any layout, often with a deliberate fault.
    private static func notification(_ random: inout SeededRandom) -> [UInt8] {
        func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: range, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        func item(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
            [number, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
        }
        let isRare = Int.random(in: 0..<16, using: &random) == 0
        let token = bytes(isRare ? 0...110 : 1...4)
        let payload = bytes(isRare ? 0...300 : 1...6)
        let command = UInt8.random(in: 0...2, using: &random)
        guard command == 2 else {
            let head = command == 1 ? bytes(8...8) : []
            return [command] + head + [0, UInt8(token.count)] + token
                + [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
        }
        var items = [item(1, token), item(2, payload), item(3, bytes(4...4)), item(4, bytes(4...4)), item(5, [10])]
        items.shuffle(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: items.removeLast()
        case 1: items.append(items[0])
        case 2: items.append(item(UInt8.random(in: 0...7, using: &random), bytes(0...5)))
        default: break
        }
        let joined = items.flatMap(\.self)
        return [2, 0, 0, UInt8(joined.count >> 8), UInt8(joined.count & 0xFF)] + joined
    }

    private static func stream(_ random: inout SeededRandom) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            var bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...3, using: &random) }
            return bytes
        default:
            var bytes = notification(&random)
            if Bool.random(using: &random) { bytes += notification(&random) }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                guard !bytes.isEmpty else { break }
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: offset)
                default: bytes.insert(UInt8.random(in: 0...8, using: &random), at: offset)
                }
            }
            return bytes
        }
    }

    @Test func `a hundred thousand random streams mean what the tables say, whole`() {
        let seed: UInt64 = 2_021_0331
        var random = SeededRandom(seed: seed)
        var seen: [UInt8: Int] = [:]
        for number in 0..<100_000 {
            let stream = Self.stream(&random)
            let expected = LegacyReference.outcomes(stream)
            let steps = LegacyConnectionTests.steps([stream])
            if Self.meaning(steps) != expected { Issue.record("stream \(number), seed \(seed)") }
            if case .end(let packet) = steps.last { seen[packet?.status.rawValue ?? 0, default: 0] += 1 }
        }
        // A generator that never gets there proves nothing; 0 stands for a cut.
        for status in [0, 2, 4, 5, 7, 128] as [UInt8] { #expect(seen[status, default: 0] > 10, "status \(status)") }
    }

    @Test func `a stream means the same, cut at every place`() {
        let seed: UInt64 = 65_920_080
        var random = SeededRandom(seed: seed)
        var cutCount = 0
        while cutCount < 100_000 {
            let stream = Self.stream(&random)
            let whole = LegacyConnectionTests.steps([stream])
            for cut in stream.indices {
                let steps = LegacyConnectionTests.steps([Array(stream[..<cut]), Array(stream[cut...])])
                if steps != whole { Issue.record("cut at \(cut) after \(cutCount) cuts, seed \(seed)") }
            }
            #expect(LegacyConnectionTests.steps(stream.map { [$0] }) == whole, "byte by byte, seed \(seed)")
            cutCount += stream.count
        }
    }
}
