import Envelope

/// Calls that the device's endpoint key entitles to. The relay refuses an unknown key with 401, and an app without a
/// gateway with 403.
extension RelayClient {
    private static let endpointsPath = "/v1/endpoints"

    /// Makes an endpoint for one server.
    ///
    /// - Parameter serverKey: the server's VAPID key (`applicationServerKey`, in Mastodon `server_key`) in base64url: the
    ///   relay then refuses pushes of others. Without it, whoever has the URL may push.
    /// - Returns: the endpoint; its URL is not to be had again.
    /// - Throws: `RelayClientError`; the relay may have made one nevertheless, which `endpointIDs` lists.
    public func makeEndpoint(
        _ key: EndpointKey,
        serverKey: String? = nil
    ) async throws(RelayClientError) -> DeviceEndpoint {
        var writer = JSONWriter()
        writer.object { writer in
            // Ruby's servers pad it.
            if let serverKey { writer.member("vapid-key", String(serverKey.prefix { $0 != "=" })) }
        }
        let answer = try await ask(.post, Self.endpointsPath, key, json: writer.bytes, expecting: 201)
        guard let id = answer?["id"]?.string, let url = answer?["endpoint"]?.string, AttachmentURL(url) != nil else {
            throw .wrongAnswer
        }
        return DeviceEndpoint(id: id, url: url)
    }

    /// Lists the device's endpoints.
    ///
    /// - Returns: their ids, oldest first.
    /// - Throws: `RelayClientError`.
    public func endpointIDs(_ key: EndpointKey) async throws(RelayClientError) -> [String] {
        let answer = try await ask(.get, Self.endpointsPath, key, expecting: 200)
        guard let endpoints = answer?["endpoints"]?.elements else { throw .wrongAnswer }
        return endpoints.compactMap { $0["id"]?.string }
    }

    /// Revokes an endpoint: its server gets 410 from then on.
    ///
    /// - Throws: `RelayClientError`; `.refused(status: 404)` if there is none of this id.
    public func revokeEndpoint(_ id: String, _ key: EndpointKey) async throws(RelayClientError) {
        guard Base64URL.isOfAlphabet(Array(id.utf8)), !id.isEmpty else { throw .refused(status: 404) }
        _ = try await ask(.delete, "\(Self.endpointsPath)/\(id)", key, expecting: 204)
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
