package import APNS
package import DeviceLink
package import HTTP

/// Validator of one connection's requests; no I/O, no clock. The order is that of `Check`, as tests verify.
///
/// - Source: "Handling notification responses from APNs", "Sending notification requests to APNs".
package struct RequestValidator {
    package struct Registration: Sendable, Equatable {
        package let bundleID: Topic
        /// Kind of pushes; `nil` allows every push to the app.
        package var kind: TokenKind?
        /// Milliseconds since 1970; `nil` while it is valid.
        package let unregisteredAtMilliseconds: Int64?
        /// True if the token expired and the app is still there.
        package let isExpired: Bool

        package init(
            bundleID: Topic,
            kind: TokenKind? = nil,
            unregisteredAtMilliseconds: Int64? = nil,
            isExpired: Bool = false
        ) {
            self.bundleID = bundleID
            self.kind = kind
            self.unregisteredAtMilliseconds = unregisteredAtMilliseconds
            self.isExpired = isExpired
        }
    }

    package struct Verdict: Sendable, Equatable {
        /// Request's `apns-id` as spelled, or a new one in upper case, as APNs makes them.
        package let answeredID: [UInt8]
        package let result: Result<AcceptedPush, RequestRejection>
    }

    let profile: Profile
    let rules: ValidationRules
    private var authentication: ConnectionAuthentication

    /// Validator without a client certificate.
    package init(keys: [KeyID: SigningKey], _ configuration: SimulatorConfiguration) {
        self.init(keys: keys, configuration, certificate: .absent)
    }

    init(keys: [KeyID: SigningKey], _ configuration: SimulatorConfiguration, certificate: CertificateVerdict) {
        profile = configuration.profile
        rules = configuration.validation
        authentication = ConnectionAuthentication(keys: keys, configuration, certificate: certificate)
    }

    /// Call in the connection's order.
    ///
    /// - Parameters:
    ///   - payload: may be empty if it was too large to keep.
    ///   - now: seconds since 1970.
    ///   - registration: returns `nil` for an unknown token.
    package mutating func validate(
        _ headers: HeaderBlock,
        payload: [UInt8],
        payloadByteCount: Int,
        now: Int64,
        ledger: inout TokenLedger,
        makeID: () -> APNSID,
        registration: (DeviceToken) -> Registration?,
        isTooFrequent: (DeviceToken) -> Bool = { _ in false }
    ) -> Verdict {
        let fields = RequestFields(headers)
        let id = fields.id.flatMap { APNSID(text: $0.span, acceptsUpperCase: profile == .apple) }
        let pushID = id ?? makeID()
        let answeredID = id == nil ? pushID.upperCaseText : Array(fields.id ?? [])
        do throws(RequestRejection) {
            try Self.checkShape(fields)
            let credential = try authentication.authenticate(fields.authorization, now: now, shared: &ledger).get()
            guard fields.id == nil || id != nil else { throw RequestRejection(.badMessageID) }
            let push = try readPush(fields, id: pushID, credential)
            try Self.checkDevice(push, registration(push.deviceToken))
            try checkPayload(payload, payloadByteCount, push.pushType)
            guard !isTooFrequent(push.deviceToken) else { throw RequestRejection(.tooManyRequests) }
            return Verdict(answeredID: answeredID, result: .success(push))
        } catch {
            return Verdict(answeredID: answeredID, result: .failure(error))
        }
    }

    mutating func authenticate(
        _ authorization: ArraySlice<UInt8>?,
        now: Int64,
        ledger: inout TokenLedger
    ) -> Result<Credential, RequestRejection> {
        authentication.authenticate(authorization, now: now, shared: &ledger)
    }

    private static func checkShape(_ fields: RequestFields) throws(RequestRejection) {
        guard !fields.hasDuplicate else { throw RequestRejection(.duplicateHeaders) }
        guard let method = fields.method, method.spells("POST") else { throw RequestRejection(.methodNotAllowed) }
        guard let path = fields.path, path.starts(with: pathPrefix) else { throw RequestRejection(.badPath) }
        let rest = path.dropFirst(pathPrefix.count)
        guard !rest.contains(UInt8(ascii: "/")), !rest.contains(UInt8(ascii: "?")) else {
            throw RequestRejection(.badPath)
        }
        guard !rest.isEmpty else { throw RequestRejection(.missingDeviceToken) }
    }

    private func readPush(
        _ fields: RequestFields,
        id: APNSID,
        _ credential: Credential
    ) throws(RequestRejection) -> AcceptedPush {
        let topic = try Self.topic(fields.topic, credential)
        let pushType = try pushType(fields.pushType, topic, credential)
        try checkManagement(pushType, credential)
        let isMismatch = try hasTopicOfAnotherType(topic, pushType, credential)
        let priority = try priority(fields.priority, pushType)
        let expiration = try Self.expiration(fields.expiration)
        let collapseID = try Self.collapseID(fields.collapseID)
        let deviceToken = try Self.deviceToken(fields.path ?? [])
        let isDropped = isMismatch && rules.suffixMismatch == .drop
        return AcceptedPush(
            id: id,
            deviceToken: deviceToken,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID,
            hasTopicOfAnotherType: isMismatch,
            isDropped: isDropped,
            lints: Lint.all(in: fields, pushType, priority, hasTopicOfAnotherType: isMismatch, isDropped: isDropped)
        )
    }

    private static func checkDevice(_ push: AcceptedPush, _ registration: Registration?) throws(RequestRejection) {
        guard let registration else { throw RequestRejection(.badDeviceToken) }
        // The topic without the push type's suffix must be the token's app, whose kind must take the type.
        let suffixOwner = push.hasTopicOfAnotherType ? push.topic.pushTypeOfSuffix : push.pushType
        let suffixByteCount = suffixOwner?.topicSuffix.utf8.count ?? 0
        guard push.topic.bytes.dropLast(suffixByteCount).isSame(as: registration.bundleID.bytes) else {
            throw RequestRejection(.deviceTokenNotForTopic)
        }
        guard registration.kind?.takes(suffixOwner ?? .alert) ?? true else {
            throw RequestRejection(.deviceTokenNotForTopic)
        }
        if let milliseconds = registration.unregisteredAtMilliseconds {
            let reason = registration.isExpired ? Reason.expiredToken : .unregistered
            throw RequestRejection(reason, timestampMilliseconds: milliseconds)
        }
    }

    private func checkPayload(_ payload: [UInt8], _ byteCount: Int, _ pushType: PushType) throws(RequestRejection) {
        guard byteCount > 0 else { throw RequestRejection(.payloadEmpty) }
        guard byteCount <= pushType.payloadByteCountMax else { throw RequestRejection(.payloadTooLarge) }
        // Apple has no reason for it; this one points at the payload.
        if rules.strictJSON, PayloadRules.isUnreadable(payload) { throw RequestRejection(.payloadEmpty) }
    }

    static let pathPrefix = Array("/3/device/".utf8)
}
