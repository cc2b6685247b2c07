import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct DeviceRouteTests {
    @Test func `a device is created once and is the same at every launch from then on`() async throws {
        try await ServerStage.with { stage in
            let body = try ServerStage.device()
            let first = await stage.manage("PUT", "/v1/devices/d1", body: body)
            #expect(first.status == 201 && first.text == #"{"id":"d1","epoch":1}"#)
            #expect(first.fields["cache-control"] == "no-store" && first.fields["content-type"] == "application/json")
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: body).status == 200)
            #expect(await stage.manage("PUT", "/v1/devices/d1", body: try ServerStage.device(2)).status == 200)
        }
    }

    @Test func `a device shows all that is known of it but its tokens`() async throws {
        try await ServerStage.with { stage in
            try await stage.register(environment: "sandbox", voIP: false)
            let reply = await stage.read("/v1/devices/d1")
            #expect(reply.status == 200)
            let members: [(String, String)] = [
                ("id", "d1"), ("topic", "com.example.chat"), ("environment", "sandbox"), ("language", "de-CH"),
                ("region", "CH"), ("app-version", "4.1"), ("registered", "2026-11-01T00:00:00.000Z"),
                ("seen", "2026-11-01T00:00:00.000Z"),
            ]
            for (name, value) in members { #expect(reply.string(name) == value, "\(name)") }
            #expect(reply.json?["quarantine"] == nil)
            #expect(reply.json?["has-voip-token"]?.content == .bool(false))
            #expect(!reply.text.contains(ServerStage.token(1)))
        }
    }

    @Test func `a device whose token is set aside says so`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let device = try #require(
                try await stage.store.devices(tenant: TenantID("acme"), after: nil, limit: 1).elements.first
            )
            _ = try await stage.store.quarantine(
                token: device.token,
                environment: .production,
                tenant: TenantID("acme")
            )
            #expect(await stage.read("/v1/devices/d1").string("quarantine") == "bad-token")
        }
    }

    @Test func `a sender gets the bundle and the language, and nothing else`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let reply = await stage.read("/v1/devices/d1/bundle")
            #expect(reply.status == 200)
            #expect(reply.string("bundle") == Base64URL.string(try SignedBundle.bytes()))
            #expect(reply.string("language") == "de-CH")
            #expect(reply.json?.members?.count == 2)
            #expect(await stage.read("/v1/devices/d2/bundle").problem == "not-found")
        }
    }

    @Test func `a deletion is done once and written down with the key's name`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let reply = await stage.manage("DELETE", "/v1/devices/d1")
            #expect(reply.status == 204 && reply.body.isEmpty)
            #expect(await stage.manage("DELETE", "/v1/devices/d1").problem == "not-found")
            #expect(await stage.read("/v1/devices/d1").problem == "not-found")
            let lines = stage.log.split(separator: "\n").filter { $0.contains(#""event":"audit""#) }
            #expect(lines.count == 1)
            for part in [#""act":"device-delete""#, #""tenant":"acme""#, #""key":"acme-manage""#, #""device":"d1""#] {
                #expect(lines.first?.contains(part) == true, "\(part)")
            }
            #expect(!stage.log.contains("spk_"))
        }
    }

    @Test func `an app that is not the tenant's is named, and nothing is stored`() async throws {
        try await ServerStage.with { stage in
            let body = try ServerStage.device(topic: "com.example.rival")
            let reply = await stage.manage("PUT", "/v1/devices/d1", body: body)
            #expect(reply.problem == "invalid-fields" && reply.pointers == ["/topic"])
            #expect(await stage.read("/v1/devices/d1").status == 404)
        }
    }

    @Test func `a device of a full disk is not registered, and can be read`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            stage.failure = .full
            let reply = await stage.manage("PUT", "/v1/devices/d2", body: try ServerStage.device(2))
            #expect(reply.status == 503 && reply.problem == "storage-full" && reply.fields["retry-after"] == "10")
            #expect(await stage.read("/v1/devices/d1").status == 200)
        }
    }
}
