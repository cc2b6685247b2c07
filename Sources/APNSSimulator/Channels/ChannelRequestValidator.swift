import APNS

/// Validator of requests about channels. No I/O, no clock.
///
/// First come the checks of device pushes, then the channel ("If authentication succeeds, APNs then validates the
/// channel ID"), other headers, the body.
///
/// - Source: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs", and
///   their pages on errors.
struct ChannelRequestValidator {
    let settings: ChannelSettings
    let profile: Profile

    /// - Parameter body: empty if it was too large.
    /// - Throws: the first reason to refuse it.
    func validate(
        _ path: ChannelPath,
        _ fields: ChannelRequestFields,
        body: [UInt8],
        bodyByteCount: Int,
        authenticate: (ArraySlice<UInt8>?) -> Result<Credential, RequestRejection>,
        directory: ChannelDirectory
    ) throws(ChannelError) -> ChannelRequest {
        let credential: Credential
        do throws(RequestRejection) {
            credential = try authenticate(fields.authorization.map { $0[...] }).get()
        } catch {
            throw ChannelError(error)
        }
        if let requestID = fields.requestID, id(requestID) == nil { throw ChannelError(.badMessageID) }
        // Without the Live Activity suffix.
        guard path.app.suffixOwner == nil else { throw ChannelError(.topicDisallowed) }
        guard credential.allows(path.app) else { throw ChannelError(.topicMismatch) }
        try directory.checkCapability(of: path.app)
        switch path.operation {
        case .create:
            return .create(path.app, try Self.policy(body, bodyByteCount))
        case .list: return .list(path.app)
        case .read: return .read(path.app, try Self.channel(fields))
        case .delete: return .delete(path.app, try Self.channel(fields))
        case .send:
            let channel = try Self.channel(fields)
            let policy = try directory.policy(of: channel, of: path.app)
            try Self.checkPushType(fields)
            let priority = try Self.priority(fields)
            let expiration = try expiration(fields, policy)
            try checkPayload(body, bodyByteCount)
            return .send(
                path.app,
                channel,
                Broadcast(priority: priority, expiration: expiration, payload: body)
            )
        }
    }

    func id(_ text: [UInt8]) -> APNSID? { APNSID(text: text.span, acceptsUpperCase: profile == .apple) }

    private static func channel(_ fields: ChannelRequestFields) throws(ChannelError) -> ChannelID {
        guard let text = fields.channelID, !text.isEmpty else { throw ChannelError(.missingChannelID) }
        let channel: ChannelID
        do throws(APNSError) { channel = try ChannelID(bytes: text) } catch { throw ChannelError(.badChannelID) }
        guard channel.isApples else { throw ChannelError(.badChannelID) }
        return channel
    }

    private static func checkPushType(_ fields: ChannelRequestFields) throws(ChannelError) {
        guard let text = fields.pushType else { throw ChannelError(.missingPushType) }
        guard PushType(headerValue: text.span) == .liveactivity else { throw ChannelError(.invalidPushType) }
    }

    private static func priority(_ fields: ChannelRequestFields) throws(ChannelError) -> Priority {
        guard let text = fields.priority else { return .immediate }
        guard let priority = Priority(headerValue: text.span) else { throw ChannelError(.badPriority) }
        return priority
    }

    private func expiration(
        _ fields: ChannelRequestFields,
        _ policy: ChannelStoragePolicy
    ) throws(ChannelError) -> Expiration? {
        guard let text = fields.expiration else {
            guard !settings.needsExpiration else { throw ChannelError(.badExpirationDate) }
            return nil
        }
        guard let expiration = Expiration(headerValue: text.span) else { throw ChannelError(.badExpirationDate) }
        guard policy == .mostRecent || expiration == .oneAttempt else { throw ChannelError(.badExpirationDate) }
        return expiration
    }
}
