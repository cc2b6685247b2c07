import APNS
import TestSupport
import Testing

@testable import APNSSimulator

/// The gateway's side of a connection as a value.
struct LegacyConnectionTests {
    private static let token: [UInt8] = Array(0..<32)
    private static let payload = Array(#"{"aps":{"alert":"hi"}}"#.utf8)
    private static let identifier: [UInt8] = [1, 2, 3, 4]
    private static let expiry: [UInt8] = [0x65, 0x92, 0x00, 0x80]

    /// Computed with another implementation.
    static let vectors: [(LegacyCommand, [UInt8])] = [
        (.simple, [0, 0, 0x20] + token + [0, 0x16] + payload),
        (.enhanced, [1] + identifier + expiry + [0, 0x20] + token + [0, 0x16] + payload),
        (
            .frame,
            [2, 0, 0, 0, 0x4E, 1, 0, 0x20] + token + [2, 0, 0x16] + payload + [3, 0, 4] + identifier + [4, 0, 4]
                + expiry + [5, 0, 1, 10]
        ),
    ]

    /// All steps of a connection that gets these pieces.
    static func steps(
        _ pieces: [[UInt8]],
        judge: (LegacyNotification, LegacyCommand) -> LegacyStatus? = { _, _ in nil }
    ) -> [LegacyConnection.Step] {
        var connection = LegacyConnection()
        var steps: [LegacyConnection.Step] = []
        for piece in pieces {
            connection.append(piece)
            while true {
                let step = connection.next(judge)
                guard step != .wait else { break }
                steps.append(step)
            }
        }
        return steps
    }

    private static func notification(_ command: LegacyCommand) throws -> LegacyNotification {
        LegacyNotification(
            identifier: command == .simple ? 0 : 0x0102_0304,
            expiresAt: command == .simple ? 0 : 0x6592_0080,
            deviceToken: try DeviceToken(bytes: token),
            payload: payload
        )
    }

    @Test func `the three layouts are taken from the vectors' bytes, cut at every place`() throws {
        for (command, bytes) in Self.vectors {
            let expected: [LegacyConnection.Step] = [.accepted(try Self.notification(command), command)]
            for cut in 0...bytes.count {
                let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
                #expect(Self.steps(pieces) == expected, "\(command), cut at \(cut)")
            }
            var written: [UInt8] = []
            try Self.notification(command).append(to: &written, as: command)
            #expect(written == bytes)
        }
    }

    @Test func `the layouts may follow one another, in one piece or byte by byte`() throws {
        let stream = Self.vectors.flatMap(\.1)
        let expected = try Self.vectors.map {
            LegacyConnection.Step.accepted(try Self.notification($0.0), $0.0)
        }
        #expect(Self.steps([stream]) == expected)
        #expect(Self.steps(stream.map { [$0] }) == expected)
    }

    @Test
    func `a notification that is judged bad ends the connection with its identifier, the simple one without a word`() {
        for (command, bytes) in Self.vectors {
            let packet = LegacyErrorPacket(status: .invalidToken, identifier: 0x0102_0304)
            let steps = Self.steps([bytes + bytes]) { _, _ in .invalidToken }
            #expect(steps == [.end(command == .simple ? nil : packet)])
        }
    }

    @Test func `after the end nothing is taken and nothing is kept`() {
        var connection = LegacyConnection()
        let nonsense: [UInt8] = [9]
        connection.append(nonsense)
        let packet = LegacyErrorPacket(status: .protocolError, identifier: 0)
        #expect(connection.next { _, _ in nil } == .end(packet))
        for _ in 0..<100 {
            connection.append(Self.vectors[1].1)
            #expect(connection.next { _, _ in nil } == .wait)
        }
        #expect(connection.waitingByteCount == 0)
        #expect(connection.shutDown() == .wait)
    }

    @Test func `a shutdown names the last notification that was taken, and nobody if there was none`() {
        var connection = LegacyConnection()
        #expect(connection.shutDown() == .end(nil))
        connection = LegacyConnection()
        connection.append(Self.vectors[0].1)
        _ = connection.next { _, _ in nil }
        #expect(connection.shutDown() == .end(nil), "the simple layout has no identifier")
        connection = LegacyConnection()
        let bytes = Self.vectors[2].1 + Self.vectors[0].1 + Self.vectors[1].1.dropLast()
        connection.append(bytes)
        while connection.next({ _, _ in nil }) != .wait {}
        let packet = LegacyErrorPacket(status: .shutdown, identifier: 0x0102_0304)
        #expect(connection.shutDown() == .end(packet))
        #expect(connection.shutDown() == .wait)
    }

    @Test func `an endless notification keeps no more than a frame may have`() {
        var connection = LegacyConnection()
        let head: [UInt8] = [2, 0, 0, 0x10, 0xD8]
        connection.append(head)
        let piece = [UInt8](repeating: 1, count: 1000)
        for _ in 0..<100 {
            connection.append(piece)
            while connection.next({ _, _ in nil }) != .wait {}
            #expect(connection.waitingByteCount <= 5 + 0x10D8)
        }
    }
}

extension LegacyConnection {
    mutating func append(_ bytes: [UInt8]) { append(bytes.span) }
}
