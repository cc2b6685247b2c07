import APNS
import APNSProvider
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

/// A client's errors for a name that does not exist (RFC 6761 section 6.4).
@Suite struct FaultNameTests {
    private struct Observer: APNSClientObserver {
        let events = Recorder<(time: MonotonicTime, event: APNSClientEvent)>()
        let ends = Recorder<APNSClientEvent>()

        func record(_ event: APNSClientEvent) {
            events.record((.now(), event))
            switch event {
            case .connectFailed, .closed: ends.record(event)
            default: break
            }
        }

        var connects: [MonotonicTime] {
            events.all.compactMap { if case .connecting = $0.event { $0.time } else { nil } }
        }

        var isConnected: Bool {
            events.all.contains { if case .connected = $0.event { true } else { false } }
        }
    }

    private func client(
        _ site: FaultSite,
        _ endpoint: APNSEndpoint,
        _ observer: Observer,
        _ change: (inout APNSClientConfiguration) -> Void
    ) throws -> APNSClient {
        var configuration = APNSClientConfiguration()
        configuration.trust = .pem(site.authorityPEM)
        configuration.loop = site.clientLoop
        configuration.observer = observer
        // A resolver without a network may fail late.
        configuration.connectDeadline = .seconds(300)
        configuration.deadline = .seconds(3_600)
        configuration.jitter = { 0 }
        change(&configuration)
        return try APNSClient(
            endpoint: endpoint,
            credential: .token(try FaultSite.tokens()),
            configuration: configuration
        )
    }

    private let nobody = APNSEndpoint(host: "apns.invalid", port: 443)

    private func notification(_ number: Int) throws -> PushNotification {
        PushNotification(
            id: FaultSite.id(number),
            deviceToken: try DeviceToken(bytes: [UInt8](repeating: 7, count: 32)),
            topic: try Topic("com.example.chat"),
            payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8)
        )
    }

    private func failure(_ client: APNSClient, _ number: Int) async throws -> SendError? {
        let notification = try notification(number)
        do throws(ProviderError) {
            _ = try await client.send(notification)
        } catch {
            if case .notProcessed(let failure) = error { return failure }
            Issue.record("\(error)")
        }
        return nil
    }

    private static func isName(_ failure: SendError?) -> Bool {
        if case .connection(.hostNotFound)? = failure?.cause { failure?.attemptCount == 0 } else { false }
    }

    @Test func `a name that nobody has is told to every push, and asked for less and less often`() async throws {
        let (site, observer) = (try FaultSite(), Observer())
        let client = try client(site, nobody, observer) { $0.backoff.floor = .milliseconds(20) }
        for number in 0..<4 { #expect(Self.isName(try await failure(client, number))) }
        await client.close()
        let connects = observer.connects
        let distances = zip(connects, connects.dropFirst()).map { $1 - $0 }
        // Half of 20, 40 and 80 milliseconds: jitter, which is 0 here, only adds to it.
        #expect(distances.count == 3)
        #expect(zip(distances, [10, 20, 40]).allSatisfy { $0 >= .milliseconds($1) }, "\(distances)")
        #expect(!observer.isConnected)
    }

    @Test func `a push whose time is over before the next try is told why there was none`() async throws {
        let (site, observer) = (try FaultSite(), Observer())
        let client = try client(site, nobody, observer) {
            $0.backoff.floor = .seconds(3_600)
            $0.backoff.ceiling = .seconds(3_600)
            $0.deadline = .milliseconds(50)
        }
        // Its own deadline may pass before the resolver has answered.
        _ = try await failure(client, 0)
        _ = await observer.ends.first(1)
        let start = MonotonicTime.now()
        #expect(Self.isName(try await failure(client, 1)))
        #expect(MonotonicTime.now() - start >= .milliseconds(50))
        #expect(observer.connects.count == 1 && !observer.isConnected)
        await client.close()
    }
}
