import APNS
import Glibc
import HTTP
import Networking
import Platform
import TestSupport
import Testing

@testable import APNSProvider

struct ConnectionLifeTests {
    private final class Recorder: APNSClientObserver {
        private let all = Guarded<[APNSClientEvent]>([])
        var events: [APNSClientEvent] { all.withLock { $0 } }
        func record(_ event: APNSClientEvent) { all.withLock { $0.append(event) } }
    }

    private final class Gate: Sendable {
        private let ends: (reader: Int32, writer: Int32)

        init() {
            var pair: [Int32] = [0, 0]
            precondition(unsafe pipe(&pair) == 0)
            ends = (pair[0], pair[1])
        }

        deinit { close(ends.reader) }

        func wait() {
            var byte: UInt8 = 0
            _ = unsafe read(ends.reader, &byte, 1)
        }

        func release() { close(ends.writer) }
    }

    @Test func `under a lower limit the oldest connection stays, and the others end after their pushes`() async throws {
        let site = try APNSStandIn()
        let held = Guarded<[Push]>([])
        let later = Guarded<Set<Int>>([])
        let full = Signal()
        let server = try await site.serve(streamCountMax: 1) { push in
            switch push.id.first {
            case UInt8(ascii: "0"): push.accept()
            case UInt8(ascii: "1"):
                let count = held.withLock { held in
                    held.append(push)
                    return held.count
                }
                if count == 3 { full.set() }
            default:
                later.withLock { _ = $0.insert(push.connectionNumber) }
                push.accept()
            }
        }
        let client = try site.client(of: server)
        #expect(try await client.send(try APNSStandIn.notification(0)).status == 200)
        async let first = client.send(try (0x1000..<0x1003).map(APNSStandIn.notification))
        await full.wait()
        #expect(Set(held.withLock { $0.map(\.connectionNumber) }) == [1, 2, 3])
        await client.loop.run { client.limitConnections(to: 1) }
        async let second = client.send(try (0x2000..<0x2005).map(APNSStandIn.notification))
        for push in held.withLock({ $0 }) { push.accept() }
        #expect(try await first.map { try $0.get().status } == [200, 200, 200])
        #expect(try await second.map { try $0.get().status } == [200, 200, 200, 200, 200])
        #expect(later.withLock { $0 } == [1])
        while await client.loop.run({ client.pool.value.connections.count }) > 1 { await Task.yield() }
        await client.close()
        await server.close()
    }

    @Test func `an idle connection is asked for a sign of life long before it is too old, and lives on`() async throws {
        let defaults = APNSClientConfiguration()
        #expect(defaults.connectionAgeMax >= defaults.idlePingAfter * 24 && defaults.idlePingAfter >= .seconds(3600))
        #expect(defaults.idleDeadline >= defaults.idlePingAfter)
        let site = try APNSStandIn()
        let server = try await site.serve { $0.accept() }
        let client = try site.client(of: server) { $0.idlePingAfter = .milliseconds(20) }
        #expect(try await client.send(try APNSStandIn.notification()).status == 200)
        for _ in 0..<3 {
            await client.loop.run { client.pool.value.connections[0].roundTrip = nil }
            while await client.loop.run({ client.pool.value.connections[0].roundTrip }) == nil { await Task.yield() }
        }
        #expect(await client.loop.run { client.pool.value.connections.map(\.number) } == [1])
        await client.close()
        await server.close()
    }

    @Test func `a peer that answers neither a push nor a PING loses its connection`() async throws {
        let site = try APNSStandIn()
        let gate = Gate()
        let server = try await site.serve { push in
            // This is the server's only thread.
            if push.id.starts(with: "0001".utf8) { gate.wait() } else { push.accept() }
        }
        let recorder = Recorder()
        let client = try site.client(of: server) {
            $0.observer = recorder
            ($0.answerDeadline, $0.pingDeadline) = (.milliseconds(500), .milliseconds(500))
        }
        #expect(try await client.send(try APNSStandIn.notification()).status == 200)
        let error = await #expect(throws: ProviderError.self) { try await client.send(try APNSStandIn.notification(1)) }
        #expect(error == .ambiguous(SendError(cause: .deadlineExceeded, attemptCount: 1)))
        // Without pushes nothing else would end it: not its age, and not its silence, which is judged after minutes here.
        let end = APNSClientEvent.closed(connection: 1, .deadlineExceeded(.ping))
        var lookCount = 0
        while !recorder.events.contains(end), lookCount < 2_000 {
            await client.loop.run {}
            try await Task.sleep(for: .milliseconds(5))
            lookCount += 1
        }
        #expect(recorder.events.contains(end))
        gate.release()
        await client.close(gracefully: false)
        await server.close(gracefully: false)
    }

    @Test func `devices that are gone are no error of the provider: neither limit nor breaker hears of them`()
        async throws
    {
        let site = try APNSStandIn()
        let server = try await site.serve { $0.reject(.unregistered, timestampMilliseconds: 1) }
        let recorder = Recorder()
        let client = try site.client(of: server) { $0.observer = recorder }
        let results = await client.send(try (0..<1_000).map(APNSStandIn.notification))
        #expect(results.allSatisfy { (try? $0.get().status) == 410 })
        #expect(!recorder.events.contains { if case .breakerOpened = $0 { true } else { false } })
        // There may be more than one connection.
        let room = await client.loop.run { client.room }
        guard case .open(let count) = room else {
            Issue.record("\(room)")
            return
        }
        #expect(count >= 1_000)
        await client.close()
        await server.close()
    }
}
