import APNS
import Networking
import TestSupport
import Testing

@testable import APNSProvider

/// APNs' binary interface: accepts good notifications, names the first bad one, forgets the rest.
private struct ModelGateway {
    private(set) var accepted: [Int] = []
    private(set) var refused: Set<Int> = []
    private let bad: Set<Int>

    init(bad: Set<Int>) { self.bad = bad }

    /// The index in the batch that a test's token encodes.
    static func index(of token: DeviceToken) -> Int { Int(token.bytes[0]) << 8 | Int(token.bytes[1]) }

    /// Reads all bytes of one connection.
    ///
    /// - Parameter shutdownAfter: shuts down after so many notifications.
    /// - Returns: the packet, if there is a reason for one.
    mutating func read(_ bytes: [UInt8], shutdownAfter: Int?) -> LegacyErrorPacket? {
        var offset = 0
        var takenCount = 0
        while true {
            switch LegacyNotification.read(bytes.span.extracting(offset...)) {
            case .incomplete: return nil
            case .mistake(let packet): return packet
            case .notification(let notification, _, let byteCount):
                offset += byteCount
                let index = Self.index(of: notification.deviceToken)
                if bad.contains(index) {
                    refused.insert(index)
                    return LegacyErrorPacket(status: .invalidToken, identifier: notification.identifier)
                }
                accepted.append(index)
                takenCount += 1
                if takenCount == shutdownAfter {
                    return LegacyErrorPacket(status: .shutdown, identifier: notification.identifier)
                }
            }
        }
    }
}

struct LegacyDeliveryTests {
    static func batch(_ count: Int) throws -> [LegacyNotification] {
        try (0..<count).map { index in
            LegacyNotification(
                deviceToken: try DeviceToken(bytes: [UInt8(index >> 8), UInt8(index & 0xFF)]),
                payload: Array(#"{"aps":{"badge":\#(index)}}"#.utf8)
            )
        }
    }

    private static func bytesUntilDone(_ delivery: inout LegacyDelivery) -> [UInt8] {
        var bytes: [UInt8] = []
        while case .write(let piece) = delivery.step() { bytes += piece }
        return bytes
    }

    @Test func `many notifications go in one write`() throws {
        var delivery = LegacyDelivery(try Self.batch(100), as: .frame, limits: LegacyLimits())
        #expect(delivery.start() == .connect)
        guard case .write(let bytes) = delivery.step() else {
            Issue.record("nothing was written")
            return
        }
        var gateway = ModelGateway(bad: [])
        _ = gateway.read(bytes, shutdownAfter: nil)
        #expect(gateway.accepted == Array(0..<100))
        #expect(delivery.step() == .wait)
    }

    @Test func `an empty batch, and one that cannot be written, needs no connection`() throws {
        var empty = LegacyDelivery([], as: .frame, limits: LegacyLimits())
        #expect(empty.start() == .finish && empty.result == [])
        var notification = try Self.batch(1)[0]
        notification.payload = []
        var unsendable = LegacyDelivery([notification], as: .frame, limits: LegacyLimits())
        #expect(unsendable.start() == .finish)
        #expect(unsendable.result == [.notSendable(.payloadEmpty)])
    }

    @Test(arguments: [LegacyCommand.enhanced, .frame])
    func `whatever happens, each notification is settled once and as the gateway did`(_ command: LegacyCommand) throws {
        let batch = try Self.batch(60)
        for seed in 0..<1_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let count = Int.random(in: 0...60, using: &random)
            let bad = Set((0..<count).filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
            var limits = LegacyLimits()
            limits.sentCountMax = Int.random(in: 1...40, using: &random)
            limits.failureCountMax = 1_000
            limits.connectionCountMax = 10_000
            var delivery = LegacyDelivery(Array(batch.prefix(count)), as: command, limits: limits)
            var gateway = ModelGateway(bad: bad)
            var connectionCount = 0
            var next = delivery.start()
            while next == .connect {
                connectionCount += 1
                guard Int.random(in: 0..<5, using: &random) > 0 else {
                    next = delivery.close(.connectionRefused)
                    continue
                }
                var bytes = Self.bytesUntilDone(&delivery)
                let isCut = Int.random(in: 0..<6, using: &random) == 0
                if isCut { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
                let shutdown = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...9, using: &random) : nil
                let packet = gateway.read(bytes, shutdownAfter: shutdown)
                if !isCut, let packet { delivery.receive(packet) }
                next = delivery.close(isCut ? .connectionLost : nil)
            }
            #expect(Set(gateway.accepted).count == gateway.accepted.count, "seed \(seed): one was sent twice")
            for (index, outcome) in delivery.result.enumerated() {
                let isAccepted = gateway.accepted.contains(index)
                switch outcome {
                case .accepted: #expect(isAccepted, "seed \(seed): \(index)")
                case .refused(let status):
                    #expect(gateway.refused.contains(index) && status == .invalidToken, "seed \(seed): \(index)")
                case .unknown: break
                case .written, .notSendable, .notSent: Issue.record("seed \(seed): \(index) is \(outcome)")
                }
            }
            #expect(connectionCount <= 2 * count + 60, "seed \(seed)")
        }
    }

    @Test func `without cuts nothing stays unknown`() throws {
        let batch = try Self.batch(50)
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bad = Set((0..<50).filter { _ in Int.random(in: 0..<5, using: &random) == 0 })
            var limits = LegacyLimits()
            limits.sentCountMax = Int.random(in: 1...60, using: &random)
            var delivery = LegacyDelivery(batch, as: .frame, limits: limits)
            var gateway = ModelGateway(bad: bad)
            var next = delivery.start()
            while next == .connect {
                let shutdown = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...9, using: &random) : nil
                if let packet = gateway.read(Self.bytesUntilDone(&delivery), shutdownAfter: shutdown) {
                    delivery.receive(packet)
                }
                next = delivery.close(nil)
            }
            let expected = (0..<50).map { bad.contains($0) ? LegacyOutcome.refused(.invalidToken) : .accepted }
            #expect(delivery.result == expected, "seed \(seed)")
            #expect(gateway.accepted == (0..<50).filter { !bad.contains($0) }, "seed \(seed)")
        }
    }

    @Test func `a connection that is never made is tried a few times`() throws {
        var delivery = LegacyDelivery(try Self.batch(2), as: .frame, limits: LegacyLimits())
        #expect(delivery.start() == .connect)
        #expect(delivery.close(.connectionRefused) == .connect)
        #expect(delivery.close(.connectionRefused) == .connect)
        #expect(delivery.close(.connectionRefused) == .finish)
        let failed = LegacyOutcome.notSent(.connection(.connectionRefused))
        #expect(delivery.result == [failed, failed])
    }

    @Test func `a batch has so many connections and no more`() throws {
        var limits = LegacyLimits()
        limits.connectionCountMax = 2
        limits.sentCountMax = 1
        var delivery = LegacyDelivery(try Self.batch(3), as: .frame, limits: limits)
        var gateway = ModelGateway(bad: [])
        var next = delivery.start()
        while next == .connect {
            if let packet = gateway.read(Self.bytesUntilDone(&delivery), shutdownAfter: nil) {
                delivery.receive(packet)
            }
            next = delivery.close(nil)
        }
        #expect(delivery.result == [.accepted, .accepted, .notSent(.tooManyConnections(countMax: 2))])
    }

    @Test func `a packet about something that was never sent leaves all of the connection unknown`() throws {
        var delivery = LegacyDelivery(try Self.batch(2), as: .frame, limits: LegacyLimits())
        #expect(delivery.start() == .connect)
        _ = Self.bytesUntilDone(&delivery)
        delivery.receive(LegacyErrorPacket(status: .processingError, identifier: 0))
        delivery.receive(LegacyErrorPacket(status: .invalidToken, identifier: 1))
        #expect(delivery.close(nil) == .finish)
        #expect(delivery.result == [.unknown(.identifierUnknown), .unknown(.identifierUnknown)])
    }

    @Test func `the simple layout knows only that it was written`() throws {
        var delivery = LegacyDelivery(try Self.batch(2), as: .simple, limits: LegacyLimits())
        #expect(delivery.start() == .connect)
        _ = Self.bytesUntilDone(&delivery)
        #expect(delivery.step() == .close)
        #expect(delivery.close(nil) == .finish)
        #expect(delivery.result == [.written, .written])
    }
}
