import Envelope
import Foundation
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// The commands of docs/operations.md, as they stand there.
@Suite(.needsServer)
struct DatabaseCopyTests {
    /// Commands under a heading.
    private static func commands(under heading: String) throws -> [String] {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = try String(contentsOf: checkout.appending(path: "docs/operations.md"), encoding: .utf8)
        let section = text.split(separator: "\n## ").first { $0.hasPrefix(heading) } ?? ""
        let blocks = section.split(separator: "```", omittingEmptySubsequences: false)
        return blocks.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test func `a database that is put back has all that was accepted before the copy, and gives out new ids`()
        async throws
    {
        let stores = try await RelayStores()
        let (store, leases) = try await stores.openOwner(1)
        let devices = try (1...20).map { try StorePattern.registration($0) }
        _ = try await store.put(devices, now: .after(0))
        let accepted = try await store.ids(try stores.request(1...30, key: "before"))
        let sent = try await store.takeAll(by: leases).prefix(10)
        _ = try await store.markSending(sent.map(\.lease), now: .after(0))
        let commands = try Self.commands(under: "Copies of a database for several relays")
        #expect(commands.count == 2)
        let names = [
            "database": stores.stage.database, "restored": stores.stage.database + "r",
            "copy": stores.stage.server.folder.path("copy-" + stores.stage.database),
        ]
        try stores.stage.server.operate(commands[0], names)
        let after = try await store.ids(try stores.request(31...40))
        await store.close()
        try stores.stage.server.operate(commands[1], names)

        let restored = try DatabaseStage(stores.stage.server, database: stores.stage.database + "r")
        let pool = try restored.pool(connections: 3)
        #expect(try await SchemaMigration.standing(of: pool) == .usable)
        let relay = RelayID(high: 9, low: 9)
        let next = try await PostgreSQLStore.open(pool, key: try StorePattern.key(), relay: relay, now: .after(3))
        // The lease of the relay that lived when the copy was made ends by itself.
        try await pool.run("UPDATE sealedpush.shard SET until = 0")
        let takeover = try await next.acquire(.all, for: relay, lasting: .seconds(600), now: .after(3))
        #expect(takeover.leases.shards == .all && takeover.interruptedCount == 10)
        for (device, found) in zip(devices, try await next.devices(devices.map(\.key))) {
            guard case .found(let found) = found else {
                Issue.record("a device is missing")
                continue
            }
            #expect(found.holds(device))
        }
        #expect(try await next.entries(accepted, tenant: stores.tenant).allSatisfy { $0 != nil })
        #expect(try await next.entries(after, tenant: stores.tenant).allSatisfy { $0 == nil })
        let again = try stores.request(1...30, key: "before")
        #expect(try await next.enqueue([again], from: relay, now: .after(4)) == [.duplicate(accepted)])
        let new = try await next.enqueue([try stores.request(41...42)], from: relay, now: .after(4))
        guard case .stored(let ids) = new[0] else { throw CancellationError() }
        #expect(ids.allSatisfy { id in accepted.allSatisfy { $0.value < id.value } })
        await next.close()
    }
}
