import APNS
import DeviceLink
import HTTP
import Networking
import Platform
import Testing

@testable import APNSSimulator

/// A peer of the device port that sends any bytes and keeps the replies.
private final class RawDevice: TLSChannelDelegate, @unchecked Sendable {
    // Unchecked: all state is used on the loop only.
    private let greeting: [UInt8]
    private var received: [UInt8] = []
    private var ended: CheckedContinuation<[UInt8], Never>?

    private init(greeting: [UInt8]) { self.greeting = greeting }

    /// Sends `bytes`, waits until the simulator has closed, and returns what it sent.
    static func exchange(_ bytes: [UInt8], with site: Site) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            site.clientLoop.perform {
                let device = RawDevice(greeting: bytes)
                device.ended = continuation
                do throws(TransportError) {
                    _ = try TLSChannel.connect(
                        host: "127.0.0.1",
                        port: site.simulator.devicePort,
                        context: site.deviceContext,
                        loop: site.clientLoop,
                        limits: .patient,
                        delegate: device
                    )
                } catch {
                    continuation.resume(returning: [])
                }
            }
        }
    }

    func channelDidOpen(_ channel: TLSChannel) {
        do throws(TransportError) {
            try channel.write(greeting)
        } catch {
            Issue.record(error)
        }
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for offset in bytes.indices { received.append(bytes[offset]) }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        ended?.resume(returning: received)
        ended = nil
    }
}

struct DevicePortTests {
    private static func hello() throws -> [UInt8] {
        DeviceFrame.hello(DeviceHello(topic: try Topic("com.example.chat"))).bytes
    }

    /// Forbidden bytes of a device, and their names in the simulator's log.
    @Test func `whoever breaks the rules is cut off, and the next device is served`() async throws {
        let site = try await Site()
        let id = APNSID(randomBytes: [UInt8](repeating: 0, count: 16))
        let token = try DeviceToken(bytes: [1])
        let cases: [([UInt8], DeviceLinkError)] = [
            (Array("GET / HTTP/1.1\r\n\r\n".utf8), .frameLength(byteCount: 0x4745_5420, byteCountMax: 8192)),
            ([0, 0, 0, 0], .frameLength(byteCount: 0, byteCountMax: 8192)),
            ([0, 0, 0, 1, 10], .unknownType(10)),
            (DeviceFrame.state(.focus).bytes, .unexpectedFrame(type: 6)),
            (DeviceFrame.acknowledgement(id).bytes, .unexpectedFrame(type: 4)),
            (DeviceFrame.welcome(token).bytes, .unexpectedFrame(type: 2)),
            ([0, 0, 0, 5, 1, 0, 0, 1, 0x20], .malformed(.topic)),
        ]
        for (index, (bytes, _)) in cases.enumerated() {
            #expect(await RawDevice.exchange(bytes, with: site) == [], "case \(index)")
        }
        let events = await site.events.first(cases.count)
        for (event, (_, expected)) in zip(events, cases) {
            guard case .deviceFailed(let error) = event else {
                Issue.record("\(event) instead of \(expected)")
                continue
            }
            #expect(error == expected)
        }
        #expect(try await site.device().deviceToken.bytes.count == 32)
        await site.simulator.close()
    }

    @Test func `a second hello ends the connection after the first was answered`() async throws {
        let site = try await Site()
        let answer = await RawDevice.exchange(try Self.hello() + Self.hello(), with: site)
        let welcomed = try DeviceFrame(contents: answer.dropFirst(4))
        #expect(welcomed.kind == .welcome)
        await site.simulator.close()
    }

    @Test func `a device that says nothing is cut off`() async throws {
        let site = try await Site(helloDeadline: .milliseconds(20))
        #expect(await RawDevice.exchange([], with: site) == [])
        guard case .deviceFailed(let error) = await site.events.first(1)[0] else {
            Issue.record("no failure reported")
            return
        }
        #expect(error == .transport(.deadlineExceeded(.idle)))
        await site.simulator.close()
    }

    @Test func `a provider at the device port and a device at the push port get no further than the handshake`()
        async throws
    {
        let site = try await Site()
        await #expect(throws: TransportError.self) {
            _ = try await HTTP2ClientConnection.connect(
                host: "127.0.0.1",
                port: site.simulator.devicePort,
                context: site.pushContext,
                loop: site.clientLoop,
                limits: .patient
            )
        }
        await #expect(throws: DeviceLinkError.self) {
            _ = try await DeviceConnection.connect(
                host: "127.0.0.1",
                port: site.simulator.pushPort,
                context: site.deviceContext,
                loop: site.clientLoop,
                topic: site.topic
            )
        }
        await site.simulator.close()
    }

    @Test func `the simulator's end reaches a device that has not said hello`() async throws {
        let site = try await Site()
        async let silent = RawDevice.exchange([], with: site)
        let device = try await site.device()
        await site.simulator.close()
        #expect(try await device.next() == nil)
        site.clientLoop.stop()
        _ = await silent
    }
}
