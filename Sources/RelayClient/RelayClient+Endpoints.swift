public import Envelope
public import NotificationCore

/// Calls that the device's endpoint key entitles to. The relay refuses an unknown key with 401, and an app without a
/// gateway with 403.
extension RelayClient {
    private static let endpointsPath = "/v1/endpoints"

    /// Makes an endpoint for one server, and keys for it on the device.
    ///
    /// - Parameters:
    ///   - device: the app's.
    ///   - server: name for the server, shown with its messages.
    ///   - serverKey: the server's VAPID key (`applicationServerKey`, in Mastodon `server_key`) in base64url: the relay
    ///     then refuses pushes of others. Without it, whoever has the URL may push.
    ///   - lifetime: after which the server gets 410; nil: until the endpoint is revoked.
    ///   - key: the device's.
    /// - Returns: what the server needs; it is not to be had again.
    /// - Throws: `SubscriptionError`; the relay may have an endpoint nevertheless, which `endpointIDs` lists.
    public func subscribe(
        _ device: AppDevice,
        to server: String,
        serverKey: String? = nil,
        lifetime: EndpointLifetime? = nil,
        with key: EndpointKey
    ) async throws(SubscriptionError) -> ServerSubscription {
        let made: (id: EndpointID, url: String)
        do {
            made = try await makeEndpoint(key, serverKey: serverKey, lifetime: lifetime)
        } catch {
            throw .relay(error)
        }
        do throws(AppDeviceError) {
            let keys = try device.makeWebPushKeys(for: made.id, server: server)
            return ServerSubscription(id: made.id, endpoint: made.url, keys: keys)
        } catch {
            // `try?`: without keys the endpoint is of no use, and `endpointIDs` lists it.
            try? await revokeEndpoint(made.id, key)
            throw .device(error)
        }
    }

    /// Revokes a server's endpoint, and destroys its keys. It may be gone at the relay already.
    ///
    /// - Throws: `SubscriptionError`; call again for the rest.
    public func unsubscribe(
        _ device: AppDevice,
        from id: EndpointID,
        with key: EndpointKey
    ) async throws(SubscriptionError) {
        do {
            try await revokeEndpoint(id, key)
        } catch {
            guard error == .refused(status: 404) else { throw .relay(error) }
        }
        do { try device.removeWebPushKeys(for: id) } catch { throw .device(error) }
    }

    package func makeEndpoint(
        _ key: EndpointKey,
        serverKey: String? = nil,
        lifetime: EndpointLifetime? = nil
    ) async throws(RelayClientError) -> (id: EndpointID, url: String) {
        var writer = JSONWriter()
        writer.object { writer in
            // Ruby's servers pad it.
            if let serverKey { writer.member("vapid-key", String(serverKey.prefix { $0 != "=" })) }
            if let lifetime { writer.member("expires-in", lifetime.rawValue) }
        }
        let answer = try await ask(.post, Self.endpointsPath, key, json: writer.bytes, expecting: 201)
        guard let id = answer?["id"]?.string.flatMap({ EndpointID(text: $0) }),
            let url = answer?["endpoint"]?.string, AttachmentURL(url) != nil
        else { throw .wrongAnswer }
        return (id, url)
    }

    /// Lists the device's endpoints.
    ///
    /// - Returns: their ids, oldest first.
    /// - Throws: `RelayClientError`.
    public func endpointIDs(_ key: EndpointKey) async throws(RelayClientError) -> [EndpointID] {
        let answer = try await ask(.get, Self.endpointsPath, key, expecting: 200)
        guard let endpoints = answer?["endpoints"]?.elements else { throw .wrongAnswer }
        return endpoints.compactMap { $0["id"]?.string.flatMap { EndpointID(text: $0) } }
    }

    /// Revokes an endpoint: its server gets 410 from then on.
    ///
    /// - Throws: `RelayClientError`; `.refused(status: 404)` if there is none of this id.
    public func revokeEndpoint(_ id: EndpointID, _ key: EndpointKey) async throws(RelayClientError) {
        _ = try await ask(.delete, "\(Self.endpointsPath)/\(id.text)", key, expecting: 204)
    }

    private func ask(
        _ method: RelayRequest.Method,
        _ path: String,
        _ key: EndpointKey,
        json: [UInt8]? = nil,
        expecting status: Int
    ) async throws(RelayClientError) -> JSONValue? {
        let answer = try await exchange(RelayRequest(method, json: json, authorization: "Bearer \(key.text)"), path)
        guard answer.status == status else { throw .refused(status: answer.status) }
        guard !answer.body.isEmpty else { return nil }
        let limits = JSONParser.Limits(
            byteCountMax: RelayRequest.answerByteCountMax,
            depthMax: 4,
            allowsFractions: false
        )
        do throws(JSONError) { return try JSONParser.parse(answer.body, limits: limits) } catch { throw .wrongAnswer }
    }
}
