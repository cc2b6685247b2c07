import APNS
import DeviceLink
import Networking
import Testing

@testable import APNSProvider
@testable import APNSSimulator

struct FeedbackServiceTests {
    private static func notification(_ token: DeviceToken, expiresAt: UInt32 = 0) -> LegacyNotification {
        LegacyNotification(expiresAt: expiresAt, deviceToken: token, payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8))
    }

    @Test func `a token is listed when a delivery to the missing app failed, and reading clears the list`() async throws
    {
        let site = try await ServiceSite()
        let devices = [try await site.device(), try await site.device()]
        let tokens = devices.map(\.deviceToken)
        for token in tokens { await site.simulator.unregister(token) }
        #expect(try await site.feedback() == LegacyFeedback.List(tuples: [], failure: nil), "nothing was sent yet")
        site.advance(100)
        let outcomes = try await site.gateway().deliver([Self.notification(tokens[0]), Self.notification(tokens[1])])
        #expect(outcomes == [.accepted, .accepted], "the interface does not tell")
        let time = UInt32(ServiceSite.start + 100)
        let expected = tokens.map { FeedbackTuple(time: time, deviceToken: $0) }
        #expect(await site.simulator.feedbackCount() == 2)
        #expect(try await site.feedback(as: "com.example.other").tuples == [], "another app's list is another")
        #expect(try await site.feedback() == LegacyFeedback.List(tuples: expected, failure: nil))
        #expect(try await site.feedback() == LegacyFeedback.List(tuples: [], failure: nil))
        await site.simulator.close()
    }

    @Test func `a notification that had expired puts nobody on the list`() async throws {
        let site = try await ServiceSite()
        let device = try await site.device()
        await site.simulator.unregister(device.deviceToken)
        let expired = Self.notification(device.deviceToken, expiresAt: UInt32(ServiceSite.start))
        #expect(try await site.gateway(.enhanced).deliver([expired]) == [.accepted])
        #expect(await site.simulator.feedbackCount() == 0)
        #expect(site.legacyEvents.contains(.expired(device: 1)))
        let alive = Self.notification(device.deviceToken, expiresAt: UInt32(ServiceSite.start) + 1)
        #expect(try await site.gateway(.enhanced).deliver([alive]) == [.accepted])
        #expect(await site.simulator.feedbackCount() == 1)
        await site.simulator.close()
    }

    @Test func `a list of many writes comes whole`() async throws {
        let site = try await ServiceSite()
        let app = site.app
        let count = 50_000
        let core = site.simulator.core
        let tokens = try (0..<count).map { number in
            try DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
        }
        await core.loop.run { for token in tokens { core.value.legacy.deliveryDidFail(token, app) } }
        let list = try await site.feedback()
        #expect(list.failure == nil && list.tuples.map(\.deviceToken) == tokens)
        #expect(await site.simulator.feedbackCount() == 0)
        await site.wait { if case .legacy(.feedbackRead(count)) = $0 { true } else { false } }
        await site.simulator.close()
    }

    @Test func `a certificate without an app reads an empty list`() async throws {
        let site = try await ServiceSite()
        #expect(try await site.feedback(as: "") == LegacyFeedback.List(tuples: [], failure: nil))
        await site.simulator.close()
    }
}
