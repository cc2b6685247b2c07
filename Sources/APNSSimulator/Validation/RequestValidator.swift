package import APNS
package import Transport

/// What APNs checks of one connection's requests, in one order. Holds what belongs to the connection; no I/O, no clock.
///
/// Apple documents the reasons and not the order; of that only one thing is known, that authentication comes before
/// the device token, the topic and the payload (an unauthenticated push to `/3/device/aaaa` gets MissingProviderToken).
/// The order here is that of the functions below, and the tests hold it.
///
/// - Source: "Handling notification responses from APNs", "Sending notification requests to APNs".
package struct RequestValidator {
    /// What the simulator knows of a device token.
    package struct Registration: Sendable, Equatable {
        /// The app's bundle id.
        package let bundleID: Topic
        /// Milliseconds since 1970: since when the app is known to be gone. `nil`: it is there.
        package let unregisteredAtMilliseconds: Int64?

        package init(bundleID: Topic, unregisteredAtMilliseconds: Int64? = nil) {
            self.bundleID = bundleID
            self.unregisteredAtMilliseconds = unregisteredAtMilliseconds
        }
    }

    /// The verdict on one request, with the `apns-id` that the answer carries.
    package struct Verdict: Sendable, Equatable {
        /// The request's id as it stood there, or a new one in upper case, as APNs makes them.
        package let answeredID: [UInt8]
        package let result: Result<AcceptedPush, Rejected>
    }

    private let profile: Profile
    private var authentication: ConnectionAuthentication

    /// A validator for one new connection.
    package init(keys: [KeyID: SigningKey], profile: Profile) {
        self.profile = profile
        authentication = ConnectionAuthentication(keys: keys, profile: profile)
    }

    /// Checks one request in the order of the connection.
    ///
    /// - Parameters:
    ///   - headers: all fields as they came, pseudo-headers and duplicates included.
    ///   - bodyByteCount: how many bytes the body really had.
    ///   - now: seconds since 1970.
    ///   - makeID: the id of a push that came without a usable one.
    ///   - registration: what is known of a token; `nil` for a token of nobody.
    /// - Returns: what to deliver or why not, and the `apns-id` of the answer.
    package mutating func validate(
        _ headers: HeaderBlock,
        bodyByteCount: Int,
        now: Int64,
        makeID: () -> APNSID,
        registration: (DeviceToken) -> Registration?
    ) -> Verdict {
        let fields = RequestFields(headers)
        let id = fields.id.flatMap { APNSID(text: $0.span, acceptsUpperCase: profile == .apple) }
        let pushID = id ?? makeID()
        let answeredID = id == nil ? pushID.upperCaseText : Array(fields.id ?? [])
        do throws(Rejected) {
            try Self.checkShape(fields)
            let key = try authentication.authenticate(fields.authorization, now: now).get()
            guard fields.id == nil || id != nil else { throw Rejected(.badMessageID) }
            let push = try readPush(fields, id: pushID, key: key)
            try Self.checkDevice(push, registration(push.deviceToken))
            try Self.checkBody(bodyByteCount, push.pushType)
            return Verdict(answeredID: answeredID, result: .success(push))
        } catch {
            return Verdict(answeredID: answeredID, result: .failure(error))
        }
    }

    private static func checkShape(_ fields: RequestFields) throws(Rejected) {
        guard !fields.hasDuplicate else { throw Rejected(.duplicateHeaders) }
        guard let method = fields.method, method.spells("POST") else { throw Rejected(.methodNotAllowed) }
        guard let path = fields.path, path.starts(with: pathPrefix) else { throw Rejected(.badPath) }
        let rest = path.dropFirst(pathPrefix.count)
        guard !rest.contains(UInt8(ascii: "/")), !rest.contains(UInt8(ascii: "?")) else { throw Rejected(.badPath) }
        guard !rest.isEmpty else { throw Rejected(.missingDeviceToken) }
    }

    private func readPush(
        _ fields: RequestFields,
        id: APNSID,
        key: SigningKey
    ) throws(Rejected) -> AcceptedPush {
        let topic = try Self.topic(fields.topic, key)
        let pushType = try Self.pushType(fields.pushType, topic, key)
        let priority = try priority(fields.priority, pushType)
        let expiration = try Self.expiration(fields.expiration)
        let collapseID = try Self.collapseID(fields.collapseID)
        let deviceToken = try Self.deviceToken(fields.path ?? [])
        return AcceptedPush(
            id: id,
            deviceToken: deviceToken,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID
        )
    }

    private static func checkDevice(_ push: AcceptedPush, _ registration: Registration?) throws(Rejected) {
        guard let registration else { throw Rejected(.badDeviceToken) }
        // The suffix belongs to the push type; what is left must be the app that the token was given to.
        let suffixByteCount = push.pushType.topicSuffix.utf8.count
        guard push.topic.bytes.dropLast(suffixByteCount).elementsEqual(registration.bundleID.bytes) else {
            throw Rejected(.deviceTokenNotForTopic)
        }
        if let milliseconds = registration.unregisteredAtMilliseconds {
            throw Rejected(.unregistered, timestampMilliseconds: milliseconds)
        }
    }

    private static func checkBody(_ byteCount: Int, _ pushType: PushType) throws(Rejected) {
        guard byteCount > 0 else { throw Rejected(.payloadEmpty) }
        guard byteCount <= pushType.payloadByteCountMax else { throw Rejected(.payloadTooLarge) }
    }

    private static let pathPrefix = Array("/3/device/".utf8)
}

// One header each, in the order in which `readPush` asks.
extension RequestValidator {
    private static func topic(_ value: ArraySlice<UInt8>?, _ key: SigningKey) throws(Rejected) -> Topic {
        guard let value, !value.isEmpty else { throw Rejected(.missingTopic) }
        let topic: Topic
        do throws(APNSError) { topic = try Topic(bytes: value.span) } catch { throw Rejected(.badTopic) }
        guard key.allows(topic) else { throw Rejected(.topicDisallowed) }
        return topic
    }

    /// Apple does not say which reason a wrong suffix gets ("may return an error, delay or drop"): here it is BadTopic.
    private static func pushType(
        _ value: ArraySlice<UInt8>?,
        _ topic: Topic,
        _ key: SigningKey
    ) throws(Rejected) -> PushType {
        let suffixType = topic.pushTypeOfSuffix
        // Only watchOS demands the header; what the topic's suffix says is then the best reading.
        guard let value else { return suffixType ?? .alert }
        guard let pushType = PushType(headerValue: value.span) else { throw Rejected(.invalidPushType) }
        guard topic.hasSuffix(of: pushType) else { throw Rejected(.badTopic) }
        if pushType.topicSuffix.isEmpty, pushType != .mdm, suffixType != nil {
            // A bundle id may end like that too, if the key names it.
            guard let bundleIDs = key.bundleIDs, bundleIDs.contains(topic) else { throw Rejected(.badTopic) }
        }
        return pushType
    }

    private func priority(_ value: ArraySlice<UInt8>?, _ pushType: PushType) throws(Rejected) -> Priority {
        guard let value else {
            guard pushType.allows(.immediate) || profile == .apple else { throw Rejected(.badPriority) }
            return pushType.allows(.immediate) ? .immediate : .powerAware
        }
        guard let priority = Priority(headerValue: value.span), pushType.allows(priority) else {
            throw Rejected(.badPriority)
        }
        return priority
    }

    private static func expiration(_ value: ArraySlice<UInt8>?) throws(Rejected) -> Expiration? {
        guard let value else { return nil }
        guard let expiration = Expiration(headerValue: value.span) else { throw Rejected(.badExpirationDate) }
        return expiration
    }

    private static func collapseID(_ value: ArraySlice<UInt8>?) throws(Rejected) -> CollapseID? {
        guard let value else { return nil }
        do throws(APNSError) { return try CollapseID(bytes: Array(value)) } catch { throw Rejected(.badCollapseID) }
    }

    private static func deviceToken(_ path: ArraySlice<UInt8>) throws(Rejected) -> DeviceToken {
        let hex = path.dropFirst(pathPrefix.count)
        do throws(APNSError) { return try DeviceToken(hex: hex.span) } catch { throw Rejected(.badDeviceToken) }
    }
}
