import APNS
import Envelope
import HTTP
import PushStore
import ServiceParts

/// `/v1/devices/{id}`
struct DeviceHandler: Sendable {
    let context: ServiceContext

    /// Answers 201 the first time, 200 from then on.
    func put(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try call.tenant()
        let upload = try DeviceUpload(call.json())
        guard call.settings.app(upload.bundleID, environment: upload.environment, of: tenant.id) != nil else {
            throw Self.unknownApp(upload, call.settings, tenant)
        }
        let registration = try upload.registration(as: Self.key(call.id, tenant))
        let now = context.clock.now()
        let results = try await context.asking { () throws(StoreError) in
            try await context.store.put([registration], now: now)
        }
        return .json(results.first == .created ? 201 : 200) { writer in
            writer.member("id", call.id)
            writer.member("epoch", upload.bundleEpoch)
        }
    }

    /// Shows all but the tokens.
    func get(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let device = try await device(call)
        return .json(200) { writer in
            writer.member("id", call.id)
            writer.member("topic", device.topic.description)
            writer.member("environment", device.environment.rawValue)
            if let language = device.language { writer.member("language", language) }
            if let region = device.region { writer.member("region", region) }
            if let version = device.appVersion { writer.member("app-version", version) }
            writer.member("has-voip-token", device.voIPToken != nil)
            if !device.extraTokens.isEmpty {
                writer.name("tokens")
                writer.array { writer in
                    for token in device.extraTokens {
                        writer.object { writer in
                            writer.member("kind", token.purpose.kind.word)
                            if !token.purpose.name.isEmpty { writer.member("name", token.purpose.name) }
                        }
                    }
                }
            }
            writer.member("registered", device.registered.text)
            writer.member("seen", device.seen.text)
            if let quarantine = device.quarantine { writer.member("quarantine", quarantine.word) }
        }
    }

    func delete(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let key = try Self.key(call.id, try call.tenant())
        let wasThere = try await context.asking { () throws(StoreError) in try await context.store.delete([key]) }
        guard wasThere == [true] else { throw Self.notFound }
        context.audit("device-delete", call.grant, [("device", call.id)])
        return .noContent
    }

    /// Treats a damaged row as missing; the app's next launch rewrites it.
    func device(_ call: APICall) async throws(Problem) -> Device {
        let key = try Self.key(call.id, try call.tenant())
        let lookups = try await context.asking { () throws(StoreError) in try await context.store.devices([key]) }
        guard case .found(let device)? = lookups.first else { throw Self.notFound }
        return device
    }

    static func key(_ id: String, _ tenant: TenantConfiguration) throws(Problem) -> DeviceKey {
        do throws(StoreError) {
            return DeviceKey(tenant: tenant.id, device: try DeviceID(id))
        } catch {
            throw Problem(error)
        }
    }

    /// - Throws: never; a bundle id is a topic.
    static func topic(_ bundleID: BundleID) throws(Problem) -> Topic {
        do throws(APNSError) {
            return try Topic(bundleID: bundleID.text)
        } catch {
            throw Problem(.invalidFields, "The bundle id is not a valid topic.")
        }
    }

    static var notFound: Problem {
        Problem(.notFound, "No such device is registered; the app registers it with PUT /v1/devices/{id}.")
    }

    private static func unknownApp(
        _ upload: DeviceUpload,
        _ settings: ServiceSettings,
        _ tenant: TenantConfiguration
    ) -> Problem {
        var problem = Problem(.invalidFields, "Correct each field listed here and send the request again.")
        let isOther = settings.app(upload.bundleID, of: tenant.id) != nil
        problem.fields = [
            isOther
                ? Problem.Field(pointer: "/environment", detail: "the app is not configured for this environment")
                : Problem.Field(pointer: "/topic", detail: "expected the bundle id of one of the tenant's apps")
        ]
        return problem
    }
}

extension DeviceUpload {
    func registration(as key: DeviceKey) throws(Problem) -> Device.Registration {
        Device.Registration(
            key: key,
            topic: try DeviceHandler.topic(bundleID),
            environment: environment,
            token: token,
            voIPToken: voIPToken,
            bundle: keyBundle,
            language: language,
            region: region,
            appVersion: appVersion,
            extraTokens: extraTokens
        )
    }
}

extension Quarantine {
    var word: String {
        switch self {
        case .badToken: "bad-token"
        case .unconfirmed: "unconfirmed"
        }
    }
}
