import APNS
import HTTP
import Networking
import Platform
import TestSupport
import Testing

@testable import APNSProvider

struct ClientRoomTests {
    private static func client(
        _ site: APNSStandIn,
        _ server: HTTP2Server,
        onRoom: @escaping @Sendable () -> Void = {}
    ) throws -> APNSClient {
        try site.client(of: server) {
            $0.keepsUnsent = false
            $0.onRoom = onRoom
        }
    }

    @Test func `there is none before a connection is open, then for one push, and after its answer for many`()
        async throws
    {
        let site = try APNSStandIn()
        let held = Guarded<[Push]>([])
        let server = try await site.serve(streamCountMax: 100) { push in held.withLock { $0.append(push) } }
        let told = Signal()
        let client = try Self.client(site, server) { told.set() }
        #expect(await client.loop.run { client.room } == .connecting)
        await client.loop.run { client.want(5) }
        await told.wait()
        #expect(await client.loop.run { client.room } == .open(1))
        let first = try APNSStandIn.notification(1)
        let ended = Signal()
        let after = await client.loop.run {
            client.send(first, within: .seconds(600)) { _ in ended.set() }
            return client.room
        }
        #expect(after == .open(0))
        while held.withLock({ $0.isEmpty }) { await Task.yield() }
        held.withLock { $0[0] }.accept()
        await ended.wait()
        #expect(await client.loop.run { client.room } == .open(CutLimit.firstLimit + 1))
        await client.close()
        await server.close()
    }

    @Test func `what waits when the last connection says goodbye is handed back, and not what was begun`() async throws
    {
        let site = try APNSStandIn()
        let held = Guarded<[Push]>([])
        let server = try await site.serve { push in held.withLock { $0.append(push) } }
        let client = try Self.client(site, server)
        let results = Guarded<[Int: Result<APNSResponse, ProviderError>]>([:])
        let pushes = try (0..<3).map(APNSStandIn.notification)
        func hasRoom() async -> Bool {
            await client.loop.run {
                client.want(1)
                return client.room == .open(1)
            }
        }
        while await !hasRoom() { await Task.yield() }
        await client.loop.run {
            for (number, push) in pushes.enumerated() {
                client.send(push, within: .seconds(600)) { result in results.withLock { $0[number] = result } }
            }
        }
        // Two have no stream: no push has an answer yet.
        while held.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(results.withLock { $0.isEmpty })
        let begun = held.withLock { $0[0] }
        await begun.connection.loop.run { begun.connection.goAway(code: 0, debugData: []) }
        while results.withLock({ $0.count }) < 2 { await Task.yield() }
        for number in 1...2 {
            guard case .failure(.notProcessed(let failure))? = results.withLock({ $0[number] }) else {
                Issue.record("\(number) was not handed back")
                return
            }
            #expect(failure.attemptCount == 0)
        }
        begun.accept()
        while results.withLock({ $0.count }) < 3 { await Task.yield() }
        #expect(try results.withLock { try $0[0]?.get().status } == 200)
        await client.close()
        await server.close()
    }
}
