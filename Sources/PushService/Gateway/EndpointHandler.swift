import APNS
import Envelope
import HTTP
import Platform
import Primitives
import PushStore
import ServiceParts

/// Endpoints: what a device gives to servers that the tenant need not know. `PUT /v1/devices/{id}/endpoint-key` is the
/// tenant's, `/v1/endpoints` the device's.
struct EndpointHandler: Sendable {
    let context: ServiceContext

    /// Lets a device make endpoints: stores its key's hash, in place of an earlier one.
    func putKey(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let key = try DeviceHandler.key(call.id, try call.tenant())
        let faults = FieldErrors()
        guard let reader = ObjectReader(try call.json(), at: .root, names: ["hash"], faults: faults) else {
            throw Problem(faults.all)
        }
        let form = "43 characters of base64url: the hash of the device's endpoint key (docs/gateway.md)"
        var hash: [UInt8]?
        _ = reader.text("hash", 43...43, form, isRequired: true) { text in
            hash = Base64URL.decode(Array(text.utf8))
            return hash?.count == PushEndpoint.hashByteCount
        }
        guard faults.all.isEmpty, let hash else { throw Problem(faults.all) }
        let result = try await context.asking { () throws(StoreError) in
            try await context.store.setEndpointKey(hash, of: key)
        }
        switch result {
        case .set: return .noContent
        case .noDevice: throw DeviceHandler.notFound
        case .taken: throw Problem(.keyTaken, "Let the app make another endpoint key; a device has this one.")
        }
    }

    /// Answers 201 with the URL, which is shown once.
    func post(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let (device, app) = try await owner(call)
        let wish = try Self.wish(call)
        var random = SystemRandom()
        let (secret, hash) = EndpointSecret.url.make(random: &random)
        let created = context.clock.now()
        let expiry = wish.seconds.map { created.advanced(by: .seconds($0)) }
        let endpoint = PushEndpoint(
            hash: hash,
            device: device,
            created: created,
            expiry: expiry,
            vapidKeyHash: wish.server?.hash
        )
        let addition = try await context.asking { () throws(StoreError) in try await context.store.add(endpoint) }
        switch addition {
        case .added: break
        case .noDevice: throw Self.unauthorized
        case .full:
            throw Problem(
                .tooManyRequests,
                "Revoke an endpoint first; a device has \(PushEndpoint.countMax) at most."
            )
        }
        return .json(201) { writer in
            writer.member("id", EndpointID(hash).text)
            writer.member("endpoint", app.origin + Route.webPushPath + secret)
            if let expiry { writer.member("expires", expiry.text) }
        }
    }

    /// Reads the key of the only server that may push, nil for any, and the seconds for which the endpoint lasts.
    private static func wish(_ call: APICall) throws(Problem) -> (server: VAPIDKey?, seconds: Int64?) {
        let faults = FieldErrors()
        let reader = ObjectReader(try call.json(), at: .root, names: ["vapid-key", "expires-in"], faults: faults)
        let known = PushEndpoint.lifetimeSeconds
        let seconds = reader?.integer("expires-in", in: 0 ... .max)
        if let seconds, !known.contains(seconds), let value = reader?.object["expires-in"] {
            reader?.wrong("expires-in", value, "one of \(known.map(String.init).joined(separator: ", ")) seconds")
        }
        let form = "87 characters of base64url: the server's public key, a point of P-256"
        var key: VAPIDKey?
        _ = reader?.text("vapid-key", VAPIDKey.characterCount...VAPIDKey.characterCount, form) { text in
            key = VAPIDKey(text: Array(text.utf8))
            return key != nil
        }
        guard faults.all.isEmpty else { throw Problem(faults.all) }
        return (key, seconds)
    }

    func list(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let (device, _) = try await owner(call)
        let now = context.clock.now()
        let endpoints = try await context.asking { () throws(StoreError) in
            try await context.store.endpoints(of: device)
        }
        return .json(200) { writer in
            writer.name("endpoints")
            writer.array { writer in
                for endpoint in endpoints where !endpoint.hasExpired(at: now) {
                    writer.object { writer in
                        writer.member("id", EndpointID(endpoint.hash).text)
                        writer.member("created", endpoint.created.text)
                        if let expiry = endpoint.expiry { writer.member("expires", expiry.text) }
                    }
                }
            }
        }
    }

    func delete(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let (device, _) = try await owner(call)
        let notFound = Problem(.notFound, "The device has no such endpoint; GET /v1/endpoints lists them.")
        // In bytes: a build in which the closure captured the id, which has 16 aligned bytes, crashed here (Swift 6.3.1).
        guard let id = EndpointID(text: call.id)?.rawRepresentation else { throw notFound }
        let wasThere = try await context.asking { () throws(StoreError) in
            let all = try await context.store.endpoints(of: device)
            guard let endpoint = all.first(where: { $0.hash.starts(with: id) }) else { return false }
            return try await context.store.revoke(endpoint.hash, of: device)
        }
        guard wasThere else { throw notFound }
        // A later push is told of this, not of its rate.
        if let id = EndpointID(rawRepresentation: id) { context.endpointCounts.withLock { $0.forget(id) } }
        return .noContent
    }

    /// Device whose key the request has, and its app's gateway.
    private func owner(_ call: APICall) async throws(Problem) -> (DeviceKey, GatewayConfiguration) {
        guard let hash = call.endpointKeyHash else { throw Self.unauthorized }
        let found = try await context.asking { () throws(StoreError) -> (DeviceKey, DeviceLookup?)? in
            guard let key = try await context.store.device(endpointKey: hash) else { return nil }
            return (key, try await context.store.devices([key]).first)
        }
        guard case (let key, .found(let device))? = found else { throw Self.unauthorized }
        let bundleID = BundleID(of: device.topic, .alert)
        guard let gateway = call.settings.app(bundleID, environment: device.environment, of: key.tenant)?.app.gateway
        else { throw Problem(.forbidden, "This app gives out no endpoints; its publisher can turn 'gateway' on.") }
        return (key, gateway)
    }

    static var unauthorized: Problem {
        Problem(.unauthorized, "Send the device's endpoint key as 'Authorization: Bearer spd_…', once.")
    }
}
