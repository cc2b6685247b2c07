package import APNS
package import DeviceLink
package import Transport

/// What APNs checks of one connection's requests, in one order. Holds what belongs to the connection; no I/O, no clock.
///
/// The order is that of `Check`, and the tests hold one against the other.
///
/// - Source: "Handling notification responses from APNs", "Sending notification requests to APNs".
package struct RequestValidator {
    /// What the simulator knows of a device token.
    package struct Registration: Sendable, Equatable {
        /// The app's bundle id.
        package let bundleID: Topic
        /// What it was given out for; `nil`: it is taken for every push to the app.
        package var kind: TokenKind?
        /// Milliseconds since 1970: since when the app is known to be gone. `nil`: it is there.
        package let unregisteredAtMilliseconds: Int64?
        /// The app is there, and has a newer token.
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

    /// The verdict on one request, with the `apns-id` that the answer carries.
    package struct Verdict: Sendable, Equatable {
        /// The request's id as it stood there, or a new one in upper case, as APNs makes them.
        package let answeredID: [UInt8]
        package let result: Result<AcceptedPush, Rejected>
    }

    let profile: Profile
    let rules: ValidationRules
    private var authentication: ConnectionAuthentication

    /// A validator for one new connection, on which the client showed no certificate.
    package init(keys: [KeyID: SigningKey], _ configuration: SimulatorConfiguration) {
        self.init(keys: keys, configuration, certificate: .absent)
    }

    /// A validator for one new connection.
    init(keys: [KeyID: SigningKey], _ configuration: SimulatorConfiguration, certificate: CertificateVerdict) {
        profile = configuration.profile
        rules = configuration.validation
        authentication = ConnectionAuthentication(keys: keys, configuration, certificate: certificate)
    }

    /// Checks one request in the order of the connection.
    ///
    /// - Parameters:
    ///   - headers: all fields as they came, pseudo-headers and duplicates included.
    ///   - payload: the body; may be left out where it was too large to keep.
    ///   - payloadByteCount: how many bytes the body really had.
    ///   - now: seconds since 1970.
    ///   - ledger: what all connections of the simulator share.
    ///   - makeID: the id of a push that came without a usable one.
    ///   - registration: what is known of a token; `nil` for a token of nobody.
    ///   - isTooFrequent: whether one more push to this token is one too many.
    /// - Returns: what to deliver or why not, and the `apns-id` of the answer.
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
        do throws(Rejected) {
            try Self.checkShape(fields)
            let credential = try authentication.authenticate(fields.authorization, now: now, shared: &ledger).get()
            guard fields.id == nil || id != nil else { throw Rejected(.badMessageID) }
            let push = try readPush(fields, id: pushID, credential)
            try Self.checkDevice(push, registration(push.deviceToken))
            try checkPayload(payload, payloadByteCount, push.pushType)
            guard !isTooFrequent(push.deviceToken) else { throw Rejected(.tooManyRequests) }
            return Verdict(answeredID: answeredID, result: .success(push))
        } catch {
            return Verdict(answeredID: answeredID, result: .failure(error))
        }
    }

    /// Who sends a request that is no push to a device: what belongs to the connection is the same.
    mutating func authenticate(
        _ authorization: ArraySlice<UInt8>?,
        now: Int64,
        ledger: inout TokenLedger
    ) -> Result<Credential, Rejected> {
        authentication.authenticate(authorization, now: now, shared: &ledger)
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
        _ credential: Credential
    ) throws(Rejected) -> AcceptedPush {
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

    private static func checkDevice(_ push: AcceptedPush, _ registration: Registration?) throws(Rejected) {
        guard let registration else { throw Rejected(.badDeviceToken) }
        // The suffix belongs to the push type; what is left must be the app that the token was given to, for this type.
        let suffixOwner = push.hasTopicOfAnotherType ? push.topic.pushTypeOfSuffix : push.pushType
        let suffixByteCount = suffixOwner?.topicSuffix.utf8.count ?? 0
        guard push.topic.bytes.dropLast(suffixByteCount).isSame(as: registration.bundleID.bytes) else {
            throw Rejected(.deviceTokenNotForTopic)
        }
        guard registration.kind?.takes(suffixOwner ?? .alert) ?? true else { throw Rejected(.deviceTokenNotForTopic) }
        if let milliseconds = registration.unregisteredAtMilliseconds {
            let reason = registration.isExpired ? Reason.expiredToken : .unregistered
            throw Rejected(reason, timestampMilliseconds: milliseconds)
        }
    }

    private func checkPayload(_ payload: [UInt8], _ byteCount: Int, _ pushType: PushType) throws(Rejected) {
        guard byteCount > 0 else { throw Rejected(.payloadEmpty) }
        guard byteCount <= pushType.payloadByteCountMax else { throw Rejected(.payloadTooLarge) }
        // Apple has no reason for it; this one at least says where to look.
        if rules.strictJSON, PayloadRules.isUnreadable(payload) { throw Rejected(.payloadEmpty) }
    }

    static let pathPrefix = Array("/3/device/".utf8)
}
