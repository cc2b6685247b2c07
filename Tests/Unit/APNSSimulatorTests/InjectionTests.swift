import APNS
import APNSProvider
import DeviceLink
import HTTP
import Networking
import Testing

@testable import APNSSimulator

/// Faults on a real connection, met by a client that does not know of them.
struct InjectionTests {
    private final class Stage: Sendable {
        let site: Site
        let device: DeviceConnection
        let events = Recorder<HTTP2ClientEvent>()

        init(_ rules: String...) async throws {
            let parsed = try rules.map { try InjectionRule(text: $0) }
            site = try await Site(startsWithOneStream: false) { configuration in
                configuration.faults = InjectedFaults(seed: 1, rules: parsed)
            }
            device = try await site.device()
        }

        func connect() async throws -> HTTP2ClientConnection {
            try await .connect(
                host: "127.0.0.1",
                port: site.simulator.pushPort,
                context: site.pushContext,
                loop: site.clientLoop,
                limits: .patient,
                onEvent: events.record
            )
        }

        func request(_ number: UInt8) throws -> HTTP2Request {
            let token = try site.tokens.token(at: Moment(unixSeconds: Site.start, uptimeSeconds: 0))
            var headers = HeaderBlock()
            headers.append(":method", "POST")
            headers.append(":scheme", "https")
            headers.append(":authority", "localhost")
            headers.append(":path", Array("/3/device/\(device.deviceToken.hex)".utf8))
            headers.append("authorization", token.authorization)
            headers.append("apns-topic", "com.example.chat")
            headers.append("apns-id", site.notification(number, to: device.deviceToken).id.text)
            return HTTP2Request(headers: headers, body: Array("{}".utf8))
        }

        /// The number of the device's next push.
        func delivered() async throws -> UInt8? {
            let push = try #require(try await device.next())
            device.acknowledge(push)
            return push.id.bytes.last
        }
    }

    @Test(arguments: [Reason.internalServerError, .serviceUnavailable, .shutdown, .tooManyRequests, .unregistered])
    func `a rejection has its status, its reason and no delivery`(_ reason: Reason) async throws {
        let stage = try await Stage("rejected,reason=\(reason.rawValue),count=1")
        let connection = try await stage.connect()
        let response = try await connection.send(try stage.request(1))
        #expect(response.status == reason.status)
        let body = RejectionBody(reason, timestampMilliseconds: reason.hasTimestamp ? Site.start * 1000 : nil)
        #expect(response.body == body.json)
        #expect(try await connection.send(try stage.request(2)).status == 200)
        #expect(try await stage.delivered() == 2)
    }

    @Test func `a dropped push is answered 200 and never arrives`() async throws {
        let stage = try await Stage("dropped,count=1")
        let connection = try await stage.connect()
        #expect(try await connection.send(try stage.request(1)).status == 200)
        #expect(try await connection.send(try stage.request(2)).status == 200)
        #expect(try await stage.delivered() == 2)
    }

    @Test func `a duplicated push arrives twice`() async throws {
        let stage = try await Stage("duplicated,count=1")
        let connection = try await stage.connect()
        #expect(try await connection.send(try stage.request(1)).status == 200)
        #expect(try await connection.send(try stage.request(2)).status == 200)
        #expect(try await [stage.delivered(), stage.delivered(), stage.delivered()] == [1, 1, 2])
    }

    @Test func `a slow answer is late, and the one behind it is not`() async throws {
        let stage = try await Stage("slow,milliseconds=300,count=1")
        let connection = try await stage.connect()
        let start = MonotonicTime.now()
        async let slow = connection.send(try stage.request(1))
        #expect(try await slow.status == 200)
        #expect(MonotonicTime.now() - start >= .milliseconds(300))
        #expect(try await stage.delivered() == 1)
    }

    @Test(arguments: [UInt32(2), 7, 8])
    func `a reset comes with its code, and the connection goes on`(_ code: UInt32) async throws {
        let stage = try await Stage("reset,code=\(code),count=1")
        let connection = try await stage.connect()
        let failure = await #expect(throws: TransportError.self) { try await connection.send(try stage.request(1)) }
        #expect(failure == (code == 7 ? .notProcessed(.refusedStream) : .ambiguous(.reset(code: code))))
        #expect(try await connection.send(try stage.request(2)).status == 200)
        #expect(try await stage.delivered() == 2)
    }

    @Test func `a push that was processed before its reset arrives`() async throws {
        let stage = try await Stage("reset,processed=yes,count=1")
        let connection = try await stage.connect()
        await #expect(throws: TransportError.self) { try await connection.send(try stage.request(1)) }
        #expect(try await stage.delivered() == 1)
    }

    @Test func `silence is no answer, for one push only`() async throws {
        let stage = try await Stage("silence,count=1")
        let connection = try await stage.connect()
        let silent = Task { try await connection.send(try stage.request(1)).status }
        // The simulator has met it before the next one is sent.
        _ = await stage.site.events.first(2)
        #expect(try await connection.send(try stage.request(2)).status == 200)
        silent.cancel()
        await #expect(throws: TransportError.self) { try await silent.value }
    }

    @Test func `a GOAWAY names its reason, and last streams above the push mean that it was not processed`()
        async throws
    {
        let stage = try await Stage("go-away,last-stream=processed,reason=Shutdown,count=1")
        let connection = try await stage.connect()
        let failure = await #expect(throws: TransportError.self) { try await connection.send(try stage.request(1)) }
        guard case .notProcessed = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let isNamed = stage.events.all.contains { event in
            if case .goAway(_, _, let debugData) = event { debugData == RejectionBody(.shutdown).json } else { false }
        }
        #expect(isNamed, "\(stage.events.all)")
        let next = try await stage.connect()
        #expect(try await next.send(try stage.request(2)).status == 200)
        #expect(try await stage.delivered() == 2)
    }

    @Test(arguments: ["connection-reset", "cut", "close"])
    func `a connection that ends takes the push with it, and the next one is served`(_ fault: String) async throws {
        let stage = try await Stage("\(fault),count=1")
        let connection = try await stage.connect()
        await #expect(throws: TransportError.self) { try await connection.send(try stage.request(1)) }
        let next = try await stage.connect()
        #expect(try await next.send(try stage.request(2)).status == 200)
        #expect(try await stage.delivered() == 2)
    }

    @Test func `a deaf server answers what it had read, and the rest later`() async throws {
        let stage = try await Stage("deaf,milliseconds=300,count=1")
        let connection = try await stage.connect()
        let start = MonotonicTime.now()
        #expect(try await connection.send(try stage.request(1)).status == 200)
        #expect(try await connection.send(try stage.request(2)).status == 200)
        #expect(MonotonicTime.now() - start >= .milliseconds(300))
        #expect(try await [stage.delivered(), stage.delivered()] == [1, 2])
    }

    @Test func `what a push that fails its checks is answered is no fault's business`() async throws {
        let stage = try await Stage("rejected,reason=Shutdown")
        let client = try stage.site.client()
        let nobody = try DeviceToken(bytes: [UInt8](repeating: 0xCD, count: 32))
        #expect(try await client.send(stage.site.notification(1, to: nobody)).reason == .badDeviceToken)
        await client.close()
    }

    @Test func `an injected fault is an event with its name`() async throws {
        let stage = try await Stage("rejected,reason=Shutdown")
        let connection = try await stage.connect()
        _ = try await connection.send(try stage.request(1))
        guard case .injected(.request(.rejected(.shutdown)), _, device: 1) = await stage.site.events.first(2)[1] else {
            Issue.record("\(stage.site.events.all)")
            return
        }
    }
}
