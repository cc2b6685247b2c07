import APNS
import APNSProvider
import DeviceLink
import HTTP
import Networking
import TestCertificates
import Testing

@testable import APNSSimulator

struct LiveDeviceTests {
    @Test func `two devices get their own pushes, and the one that was away its newest`() async throws {
        let site = try await Site()
        let client = try site.client()
        let stays = try await site.device()
        let leaves = try await site.device()
        leaves.close()
        #expect(try await leaves.next() == nil)
        _ = await site.events.first(3)
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(try await client.send(site.notification(number, to: leaves.deviceToken)).status == 200)
            #expect(try await client.send(site.notification(number + 10, to: stays.deviceToken)).status == 200)
        }
        for number in 1...3 as ClosedRange<UInt8> {
            let push = try #require(try await stays.next())
            #expect(push.id == site.notification(number + 10, to: stays.deviceToken).id)
            stays.acknowledge(push)
        }
        let back = try await site.device(earlierToken: leaves.deviceToken)
        #expect(try await back.next()?.id == site.notification(3, to: leaves.deviceToken).id)
        await client.close()
        await site.simulator.close()
    }

    @Test func `a device that says it has a Focus on gets passive alerts`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device(state: .focus)
        _ = try await client.send(site.notification(1, to: device.deviceToken))
        #expect(try await device.next()?.presentation == .passiveForFocus)
        await client.close()
        await site.simulator.close()
    }

    @Test func `an app that is taken off gets one failed delivery, then 410 with its time`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device(state: .appRemoved)
        site.advance(100)
        #expect(try await client.send(site.notification(1, to: device.deviceToken)).status == 200)
        site.advance(100)
        let gone = try await client.send(site.notification(2, to: device.deviceToken))
        let time = (Site.start + 100) * 1000
        #expect(gone.outcome == .rejected(RejectionBody(.unregistered, timestampMilliseconds: time)))
        let told = site.events.all.compactMap { event in
            if case .appIsGone(let token, let bundleID, let time) = event { (token, bundleID, time) } else { nil }
        }
        #expect(told.count == 1 && told[0] == (device.deviceToken, site.topic, time))
        await client.close()
        await site.simulator.close()
    }

    @Test func `a state that is reported later counts from then on`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device()
        device.report(.notificationsOff)
        // The frame is on its way beside the push, and no acknowledgement orders the two: poll.
        var status: [DeliveryEvent] = []
        var number: UInt8 = 0
        while !status.contains(where: { if case .discarded(_, .notificationsOff, _) = $0 { true } else { false } }) {
            _ = try await client.send(site.notification(number, to: device.deviceToken))
            number &+= 1
            status = site.deliveries
        }
        await client.close()
        await site.simulator.close()
    }

    @Test func `time that is moved releases a group and ends what waits too long`() async throws {
        let site = try await Site()
        let client = try site.client()
        let device = try await site.device(state: .lowPower)
        var quiet = site.notification(1, to: device.deviceToken)
        quiet.priority = .powerAware
        #expect(try await client.send(quiet).status == 200)
        await site.simulator.moveClock(bySeconds: 60)
        #expect(try await device.next()?.id == quiet.id)
        let away = try await site.simulator.enrol(site.topic)
        var short = site.notification(2, to: away)
        short.expiration = Expiration(unixSeconds: UInt64(Site.start) + 3600)
        #expect(try await client.send(short).status == 200)
        #expect(!site.deliveries.contains(.discarded(short.id, .expired, device: 2)))
        site.advance(3600)
        await site.simulator.wake()
        #expect(site.deliveries.contains(.discarded(short.id, .expired, device: 2)))
        await client.close()
        await site.simulator.close()
    }

    @Test func `a group leaves by itself when its time has come`() async throws {
        let site = try await Site { configuration in
            configuration.delivery.groupSeconds = 0
        }
        let client = try site.client()
        let device = try await site.device(state: .lowPower)
        var quiet = site.notification(1, to: device.deviceToken)
        quiet.priority = .powerAware
        #expect(try await client.send(quiet).status == 200)
        // The clock stands still; a silent change of it shows at the next reading.
        site.advance(1)
        #expect(try await device.next()?.id == quiet.id)
        await client.close()
        await site.simulator.close()
    }

    @Test func `one token too often is told TooManyRequests`() async throws {
        let site = try await Site { configuration in
            (configuration.delivery.tokenRequestsPerMinute, configuration.delivery.tokenBurst) = (60, 2)
        }
        let device = try await site.device()
        let raw = try await site.rawConnection()
        var statuses: [Int] = []
        let request = try Self.request(to: device.deviceToken)
        for _ in 1...3 { statuses.append(try await raw.send(request).status) }
        #expect(statuses == [200, 200, 429])
        let refused = try await raw.send(request)
        #expect(refused.body == Array(#"{"reason":"TooManyRequests"}"#.utf8))
        site.advance(1)
        #expect(try await raw.send(request).status == 200)
        await raw.close()
        await site.simulator.close()
    }

    private static func request(to token: DeviceToken) throws -> HTTP2Request {
        var request = try Request()
        request[":path"] = "/3/device/\(token.hex)"
        return HTTP2Request(headers: request.headers, body: [0x7B, 0x7D])
    }

    // MARK: Certificates

    @Test func `where certificates are required a device without one is refused, and one with one is taken`()
        async throws
    {
        let site = try await Site { $0.devices.certificates = .required }
        await #expect(throws: DeviceLinkError.refused(.certificateRequired)) { _ = try await site.device() }
        let context = try site.context(of: try site.deviceAuthority.enrol())
        #expect(try await site.device(context: context).deviceToken.bytes.count == 32)
        await site.simulator.close()
    }

    @Test func `a certificate of another authority does not get through the handshake`() async throws {
        let site = try await Site()
        let context = try site.context(of: try DeviceAuthority().enrol())
        await #expect(throws: DeviceLinkError.self) { _ = try await site.device(context: context) }
        await site.simulator.close()
    }

    @Test func `a token presented with another certificate is refused`() async throws {
        let site = try await Site()
        let own = try site.context(of: try site.deviceAuthority.enrol())
        let other = try site.context(of: try site.deviceAuthority.enrol())
        let token = try await site.device(context: own).deviceToken
        for context in [other, site.deviceContext] {
            await #expect(throws: DeviceLinkError.refused(.tokenOfAnotherDevice)) {
                _ = try await site.device(earlierToken: token, context: context)
            }
        }
        #expect(try await site.device(earlierToken: token, context: own).deviceToken == token)
        await site.simulator.close()
    }

    @Test func `a simulator of the other environment with the same key knows the token as not its own`() async throws {
        let mint = DeviceTokenMint()
        let sandbox = try await Site { $0.devices.mint = mint }
        let production = try await Site { configuration in
            configuration.devices.mint = mint
            configuration.environment = .production
        }
        let token = try await sandbox.device().deviceToken
        let client = try production.client()
        let answer = try await client.send(production.notification(1, to: token))
        #expect(answer.status == 400 && answer.reason == .badDeviceToken)
        await #expect(throws: DeviceLinkError.refused(.tokenOfAnotherEnvironment)) {
            _ = try await production.device(earlierToken: token)
        }
        #expect(await production.simulator.report(on: token)?.status == .otherEnvironment)
        #expect(await sandbox.simulator.report(on: token)?.status == .active)
        await client.close()
        await sandbox.simulator.close()
        await production.simulator.close()
    }

    @Test func `an app that is installed again has a new token, and the old one gets 410`() async throws {
        let site = try await Site()
        let client = try site.client()
        let old = try await site.device()
        let new = try await site.device(earlierToken: old.deviceToken, arrival: .reinstalled)
        #expect(new.deviceToken != old.deviceToken)
        #expect(try await client.send(site.notification(1, to: old.deviceToken)).status == 410)
        #expect(try await client.send(site.notification(2, to: new.deviceToken)).status == 200)
        #expect(try await new.next()?.id == site.notification(2, to: new.deviceToken).id)
        await client.close()
        await site.simulator.close()
    }

    @Test func `the log has what became of a push under the unique id of its answer`() async throws {
        let site = try await Site()
        let device = try await site.device()
        let raw = try await site.rawConnection()
        let answer = try await raw.send(try Self.request(to: device.deviceToken))
        let text = try #require(answer.headers["apns-unique-id"].map(Array.init))
        let uniqueID = try #require(APNSID(String(decoding: text, as: UTF8.self)))
        let push = try #require(try await device.next())
        device.acknowledge(push)
        _ = await site.events.first(3)
        let entry = try #require(await site.simulator.deliveries(.uniqueID(uniqueID), countMax: 1).first)
        #expect(entry.id == push.id && entry.steps.map(\.outcome) == [.delivered])
        #expect(await site.simulator.deliveries(.all, countMax: 5) == [entry])
        #expect(await site.simulator.deliveries(.id(push.id), countMax: 5) == [entry])
        await raw.close()
        await site.simulator.close()
    }
}
