import Networking
import Testing

@testable import APNSProvider

struct DeliveryTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func delivery(milliseconds: Int64) throws -> Delivery {
        Delivery(
            id: 1,
            notification: try APNSStandIn.notification(),
            receiver: .closure { _ in },
            enqueuedAt: time(1_000),
            deadline: time(1_000 + milliseconds)
        )
    }

    @Test func `nothing is begun in its last second, in which no answer may come`() throws {
        let delivery = try Self.delivery(milliseconds: 30_000)
        #expect(!delivery.isTooLate(at: Self.time(1_000)) && !delivery.isTooLate(at: Self.time(30_000)))
        #expect(delivery.isTooLate(at: Self.time(30_001)) && delivery.isTooLate(at: Self.time(99_000)))
    }

    @Test func `what has a second in all is begun within three quarters of it`() throws {
        let delivery = try Self.delivery(milliseconds: 1_000)
        #expect(!delivery.isTooLate(at: Self.time(1_000)) && !delivery.isTooLate(at: Self.time(1_750)))
        #expect(delivery.isTooLate(at: Self.time(1_751)))
    }
}
