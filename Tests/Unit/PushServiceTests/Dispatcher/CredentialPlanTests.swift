import APNS
import APNSProvider
import Envelope
import Networking
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

struct CredentialReaderTests {
    private static func faults(_ site: DispatchSite) throws -> [CredentialError] {
        var reader = CredentialReader(unixSeconds: site.clock.seconds)
        var faults: [CredentialError] = []
        for app in site.settings.configuration.tenants.flatMap(\.apps) {
            do throws(CredentialErrors) { _ = try reader.material(of: app) } catch { faults += error.all }
        }
        return faults
    }

    @Test func `a credential that cannot be used is named with its field and what to do`() async throws {
        let site = try await DispatchSite()
        #expect(try Self.faults(site) == [])
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.firstPEM, mode: 0o644)
        let open = "others may read the file (mode 0644); make it private: chmod 600"
        #expect(try Self.faults(site).first == .init(field: "/credential/key-file", problem: open))
        _ = try site.folder.makeFile("key.p8", "no key")
        #expect(try Self.faults(site).first?.problem == "not a .p8 key from Apple (PEM, PKCS #8, P-256)")
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.firstPEM)
        _ = try site.folder.makeFile("ca.pem", "nobody")
        #expect(try Self.faults(site).map(\.field) == ["/endpoint/authorities-file"])
    }

    @Test func `everything that is wrong with one app's files is named at once`() async throws {
        let site = try await DispatchSite()
        _ = try site.folder.makeFile("key.p8", "no key")
        _ = try site.folder.makeFile("ca.pem", "nobody")
        var reader = CredentialReader(unixSeconds: site.clock.seconds)
        let apps = site.settings.configuration.tenants.flatMap(\.apps)
        let app = try #require(apps.first { $0.endpoint != nil })
        let error = #expect(throws: CredentialErrors.self) { try reader.material(of: app) }
        #expect(error?.all.map(\.field) == ["/credential/key-file", "/endpoint/authorities-file"])
    }
}

struct CredentialPlanTests {
    @Test func `a reload replaces the client's credential and not the client, and leaves others alone`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        let before = await site.loop.run { dispatcher.lanes.entries.values.map(\.number).sorted() }
        let digests = await site.loop.run { dispatcher.lanes.entries.values.map(\.digest) }
        try await dispatcher.reload(try site.plan())
        #expect(await site.loop.run { dispatcher.lanes.entries.values.map(\.digest) } == digests)
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.secondPEM)
        try await dispatcher.reload(try site.plan())
        #expect(await site.loop.run { dispatcher.lanes.entries.values.map(\.number).sorted() } == before)
        #expect(await site.loop.run { dispatcher.lanes.entries.values.map(\.digest) } != digests)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}

struct PushDestinationTests {
    private static func entry(_ pushType: PushType, topic: String) async throws -> OutboxEntry {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("s"), key: try StorePattern.key(), now: StorePattern.start)
        var new = try StorePattern.entry(1, device: 1)
        new.pushType = pushType
        new.topic = try Topic(topic)
        let tenant = try StorePattern.tenant(1)
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [new])
        _ = try await store.enqueue([request], from: store.opener.relay, now: StorePattern.start)
        let entry = try #require(try await store.entry(apnsID: new.apnsID, tenant: tenant))
        await store.close()
        return entry
    }

    private static func device(voIPToken: DeviceToken?, quarantine: Quarantine? = nil) throws -> DeviceLookup {
        var registration = try StorePattern.registration(1)
        registration.voIPToken = voIPToken
        return .found(
            Device(
                registration: registration,
                registered: StorePattern.start,
                seen: StorePattern.start,
                quarantine: quarantine,
                voIPQuarantine: nil
            )
        )
    }

    @Test(arguments: ["com.example.chat", "com.example.chat.voip"])
    func `a call goes to PushKit's token and its topic, and nowhere without one`(_ topic: String) async throws {
        let entry = try await Self.entry(.voip, topic: topic)
        let token = try DeviceToken(bytes: [1, 2, 3])
        let with = PushDestination(entry, try Self.device(voIPToken: token)) { bundleID, _ in
            bundleID.text == "com.example.chat"
        }
        #expect(with == .push(token: token, topic: try Topic("com.example.chat.voip")))
        let without = PushDestination(entry, try Self.device(voIPToken: nil)) { _, _ in true }
        #expect(without == .end("NoVoIPToken"))
    }

    @Test func `an alert goes to the other token; what has no device, app or good token goes nowhere`() async throws {
        let entry = try await Self.entry(.alert, topic: "com.example.chat")
        let device = try Self.device(voIPToken: try DeviceToken(bytes: [1]))
        let token = try StorePattern.token(1)
        #expect(
            PushDestination(entry, device) { _, _ in true } == .push(token: token, topic: try Topic("com.example.chat"))
        )
        #expect(PushDestination(entry, device) { _, _ in false } == .park)
        #expect(PushDestination(entry, .missing) { _, _ in true } == .end("DeviceUnknown"))
        #expect(PushDestination(entry, .damaged) { _, _ in true } == .end("DeviceDamaged"))
        let aside = try Self.device(voIPToken: nil, quarantine: .badToken)
        #expect(PushDestination(entry, aside) { _, _ in true } == .end("DeviceSetAside"))
        let other = try await Self.entry(.alert, topic: "com.example.other")
        #expect(PushDestination(other, device) { _, _ in true } == .end("DeviceOfOtherApp"))
    }
}
