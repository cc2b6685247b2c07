import APNS

// One header each, in the order of `readPush`.
extension RequestValidator {
    static func topic(_ value: ArraySlice<UInt8>?, _ credential: Credential) throws(RequestRejection) -> Topic {
        guard let value, !value.isEmpty else {
            guard value == nil, let only = credential.onlyTopic else { throw RequestRejection(.missingTopic) }
            return only
        }
        let topic: Topic
        do throws(APNSError) { topic = try Topic(bytes: value.span) } catch { throw RequestRejection(.badTopic) }
        guard credential.allows(topic) else { throw RequestRejection(.topicDisallowed) }
        return topic
    }

    func pushType(
        _ value: ArraySlice<UInt8>?,
        _ topic: Topic,
        _ credential: Credential
    ) throws(RequestRejection) -> PushType {
        guard let value else {
            guard rules.missingPushType == .infer else { throw RequestRejection(.invalidPushType) }
            // Inferred from the topic's suffix, unless the app's bundle id ends like that.
            return credential.namesBundleID(topic) ? .alert : topic.suffixOwner ?? .alert
        }
        guard let pushType = PushType(headerValue: value.span) else { throw RequestRejection(.invalidPushType) }
        return pushType
    }

    /// Refuses device management with a token, as configured: it has its own certificates.
    func checkManagement(_ pushType: PushType, _ credential: Credential) throws(RequestRejection) {
        guard pushType == .mdm, case .key = credential else { return }
        switch rules.managementWithToken {
        case .forbidden: throw RequestRejection(.forbidden)
        case .topicDisallowed: throw RequestRejection(.topicDisallowed)
        case .accept: break
        }
    }

    func hasTopicOfAnotherType(
        _ topic: Topic,
        _ pushType: PushType,
        _ credential: Credential
    ) throws(RequestRejection) -> Bool {
        // A bundle id that the credential names may end like a suffix.
        let isOfAnother =
            !topic.hasSuffix(of: pushType)
            || (pushType.topicIsBundleID && topic.pushTypeOfSuffix != nil && !credential.namesBundleID(topic))
        if isOfAnother, rules.suffixMismatch == .badTopic { throw RequestRejection(.badTopic) }
        if case .certificate(let claims) = credential, !isOfAnother, !claims.allows(topic, pushType) {
            throw RequestRejection(.topicDisallowed)
        }
        return isOfAnother
    }

    func priority(_ value: ArraySlice<UInt8>?, _ pushType: PushType) throws(RequestRejection) -> Priority {
        guard let value else {
            guard !isRefused(.immediate, pushType) || profile == .apple else { throw RequestRejection(.badPriority) }
            return pushType.allows(.immediate) ? .immediate : .powerAware
        }
        guard let priority = Priority(headerValue: value.span), !isRefused(priority, pushType) else {
            throw RequestRejection(.badPriority)
        }
        return priority
    }

    private func isRefused(_ priority: Priority, _ pushType: PushType) -> Bool {
        switch (pushType, priority) {
        case (.background, .immediate): rules.backgroundAtOnce == .badPriority
        case (.liveactivity, .low): rules.liveActivityLow == .badPriority
        default: false
        }
    }

    static func expiration(_ value: ArraySlice<UInt8>?) throws(RequestRejection) -> Expiration? {
        guard let value else { return nil }
        guard let expiration = Expiration(headerValue: value.span) else { throw RequestRejection(.badExpirationDate) }
        return expiration
    }

    static func collapseID(_ value: ArraySlice<UInt8>?) throws(RequestRejection) -> CollapseID? {
        guard let value else { return nil }
        do throws(APNSError) { return try CollapseID(bytes: Array(value)) } catch {
            throw RequestRejection(.badCollapseID)
        }
    }

    static func deviceToken(_ path: ArraySlice<UInt8>) throws(RequestRejection) -> DeviceToken {
        let hex = path.dropFirst(pathPrefix.count)
        do throws(APNSError) { return try DeviceToken(hex: hex.span) } catch { throw RequestRejection(.badDeviceToken) }
    }
}
