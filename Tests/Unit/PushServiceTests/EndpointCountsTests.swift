import APNS
import Envelope
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// Counts of servers' pushes in memory.
struct EndpointCountsTests {
    private static let hour: Int64 = 3_600_000_000_000

    private let app: GatewayApp
    private let tenant: TenantID

    init() throws {
        tenant = try TenantID("acme")
        app = GatewayApp(tenant: tenant, topic: try Topic("com.example.chat"), environment: .production)
    }

    private func endpoint(_ number: Int) throws -> PushEndpoint {
        var random = SeededRandom(seed: UInt64(number))
        let device = DeviceKey(tenant: tenant, device: try DeviceID("d\(number)"))
        return PushEndpoint(hash: random.bytes(count: 32), device: device, created: Timestamp(milliseconds: 0))
    }

    private func note(_ counts: inout EndpointCounts, _ number: Int, now: Int64, isAccepted: Bool = true) throws {
        counts.note(CountedEndpoint(try endpoint(number), app), isAccepted: isAccepted, now: now)
    }

    @Test func `many pushes to an endpoint are one write of its row, ten minutes after the first`() throws {
        var counts = EndpointCounts()
        for second in 0..<599 as Range<Int64> {
            try note(&counts, 1, now: second * 1_000_000_000, isAccepted: second % 2 == 0)
            let (deltas, hasMore) = counts.takeUnsaved(now: second * 1_000_000_000)
            #expect(deltas.endpoints.isEmpty && deltas.apps.count == 1 && !hasMore)
        }
        let (deltas, _) = counts.takeUnsaved(now: EndpointCounts.saveInterval)
        #expect(deltas.apps.isEmpty)
        #expect(Array(deltas.endpoints.values) == [GatewayCounts(accepted: 300, refused: 299)])
        #expect(counts.takeUnsaved(now: EndpointCounts.saveInterval * 3).deltas.isEmpty)
        counts.giveBack(deltas)
        #expect(counts.takeUnsaved(now: 0, isLast: true).deltas.endpoints == deltas.endpoints)
    }

    @Test func `many endpoints are saved in steps, and early when memory for them runs short`() throws {
        var counts = EndpointCounts()
        let count = EndpointCounts.endpointCountMax / 2
        for number in 0..<count { try note(&counts, number, now: 0) }
        var (steps, saved) = (0, 0)
        while true {
            let (deltas, hasMore) = counts.takeUnsaved(now: EndpointCounts.saveInterval)
            #expect(deltas.endpoints.count <= EndpointCounts.savedCountMax)
            (steps, saved) = (steps + 1, saved + deltas.endpoints.count)
            guard hasMore else { break }
        }
        #expect(saved == count && steps == count / EndpointCounts.savedCountMax)
        for number in 0..<count { try note(&counts, number, now: 1) }
        #expect(counts.takeUnsaved(now: 1).deltas.endpoints.count == EndpointCounts.savedCountMax)
    }

    @Test func `the busiest are those of this hour and the last`() throws {
        var counts = EndpointCounts()
        for number in 1...2 { for _ in 0..<number { try note(&counts, number, now: 0) } }
        try note(&counts, 1, now: Self.hour)
        try note(&counts, 1, now: Self.hour)
        func busiest(_ now: Int64) -> [Int] { counts.busiest(of: tenant, now: now).map(\.counts.sum) }
        #expect(busiest(Self.hour) == [3, 2] && busiest(2 * Self.hour) == [2] && busiest(3 * Self.hour).isEmpty)
    }
}

/// A device's rate among its endpoints.
struct DeviceSharesTests {
    private static let rate = DeviceShares.Rate(placeCount: 20, interval: 1_000_000_000)
    private static let device = DeviceShares.Device(shardHash: 1)

    private static func endpoint(_ number: UInt8) -> EndpointID { EndpointID(Array(repeating: number, count: 16)) }

    @Test(arguments: [1, 2, 3, 7, 15] as [UInt8])
    func `floods share the rate alike, and one more server always gets a place`(_ count: UInt8) {
        var shares = DeviceShares(rowCountMax: 10)
        var taken = Array(repeating: 0, count: Int(count) + 1)
        var refusedCount = 0
        // Ten minutes; the last server pushes once in 20 seconds.
        for turn in 0..<6_000 {
            let now = Int64(turn) * 100_000_000
            for server in 0..<count {
                let wait = shares.take(Self.endpoint(server), of: Self.device, Self.rate, now: now)
                if wait == nil { taken[Int(server)] += 1 }
            }
            guard turn % 200 == 199 else { continue }
            let wait = shares.take(Self.endpoint(count), of: Self.device, Self.rate, now: now)
            if wait == nil { taken[Int(count)] += 1 } else { refusedCount += 1 }
        }
        #expect(refusedCount == 0 && taken[Int(count)] == 30)
        #expect((580...620).contains(taken.reduce(0, +)), "\(taken)")
    }

    @Test func `a refusal says when the next place is free`() {
        var shares = DeviceShares(rowCountMax: 10)
        for _ in 0..<10 { #expect(shares.take(Self.endpoint(1), of: Self.device, Self.rate, now: 0) == nil) }
        #expect(shares.wait(Self.endpoint(1), of: Self.device, Self.rate, now: 400_000_000) == .milliseconds(600))
        #expect(shares.wait(Self.endpoint(2), of: Self.device, Self.rate, now: 400_000_000) == nil)
        #expect(shares.take(Self.endpoint(1), of: Self.device, Self.rate, now: 1_000_000_000) == nil)
        #expect(shares.take(Self.endpoint(1), of: Self.device, Self.rate, now: 1_000_000_000) == .seconds(1))
    }

    @Test func `devices beyond the table share a row, until others' places are free`() {
        var shares = DeviceShares(rowCountMax: 2)
        func take(_ device: UInt64, _ endpoint: UInt8, _ now: Int64) -> Bool {
            shares.take(Self.endpoint(endpoint), of: .init(shardHash: device), Self.rate, now: now) == nil
        }
        #expect(take(1, 1, 0) && take(2, 2, 0))
        for server in 0..<20 as Range<UInt8> { #expect(take(UInt64(server) + 3, server, 0)) }
        #expect(!take(90, 90, 0) && take(1, 1, 0))
        #expect(take(91, 91, 2_000_000_000))
    }
}
