import Envelope
import PushStore
import Transport

/// A request's head that has passed the gate. An object: it goes from hand to hand, and copying all of it costs more than
/// that.
final class APIAdmission: Sendable {
    let route: Route
    /// What stood in the path where the pattern has braces; empty where it has none.
    let id: String
    /// Behind the question mark; nil without one.
    let query: String?
    /// Those that handlers read: of the body's kind, and the idempotency key.
    let fields: [APIRequest.Field]
    /// Whom it speaks for; nil where the route asks for no key.
    let grant: Grant?
    /// Which memory its body takes.
    let share: HTTPBodyShare
    /// As they were when it came.
    let settings: ServiceSettings
    /// Nanoseconds of the monotonic clock.
    let begun: Int64

    init(
        route: Route,
        id: String,
        query: String?,
        fields: [APIRequest.Field],
        grant: Grant?,
        share: HTTPBodyShare,
        settings: ServiceSettings,
        begun: Int64
    ) {
        self.route = route
        self.id = id
        self.query = query
        self.fields = fields
        self.grant = grant
        self.share = share
        self.settings = settings
        self.begun = begun
    }
}

/// One request that has passed the gate: what its handler may know of it.
struct APICall: Sendable {
    private let admission: APIAdmission
    let body: [UInt8]

    init(_ admission: APIAdmission, body: [UInt8]) {
        self.admission = admission
        self.body = body
    }

    // What these are the admission says.

    var route: Route { admission.route }
    var id: String { admission.id }
    var query: String? { admission.query }
    var grant: Grant? { admission.grant }
    var settings: ServiceSettings { admission.settings }
    var begun: Int64 { admission.begun }

    /// As the parsers of bodies take it. The key is not in it.
    var request: APIRequest {
        APIRequest(method: route.method, path: "", query: query, fields: admission.fields, body: body)
    }

    /// Whose it is; routes without a scope never ask.
    ///
    /// - Throws: `.unauthorized`, which the gate has seen to.
    func tenant() throws(Problem) -> TenantConfiguration {
        guard let grant, let tenant = settings.tenant(grant.tenant) else {
            throw Problem(.unauthorized, "Send a key of the tenant as 'Authorization: Bearer spk_…', once.")
        }
        return tenant
    }

    /// Bytes that a body of this operation may have: what its largest sensible one has, and no more than the setting.
    static func bodyByteCountMax(_ operation: Route.Operation, _ limits: ServiceLimits) -> Int {
        let wanted =
            switch operation {
            case .postNotifications: limits.bodyByteCountMax
            case .putDevice: 65_536
            // A payload whose every character is escaped, and the devices' ids.
            case .postSAP: 65_536 + SAPNotification.deviceCountMax * 80
            case .postReceipts: 1_024 + limits.receiptCountMax * 128
            case .postResends: 1_024 + ResendRequest.countMax * 128
            case .replayDeadLetters: 1_024 + DeadLetterReplay.countMax * 64
            default: 0
            }
        return min(wanted, limits.bodyByteCountMax)
    }

    /// The body, in whatever thread this is.
    ///
    /// - Parameter allowsFractions: only where a property is a fraction by its nature.
    /// - Returns: the JSON.
    /// - Throws: `.unsupportedMediaType`, `.bodyTooLarge`, `.notJSON`.
    func json(allowsFractions: Bool = false) throws(Problem) -> JSONValue {
        let byteCountMax = Self.bodyByteCountMax(route.operation, settings.limits)
        return try RequestBody.json(request, byteCountMax: byteCountMax, allowsFractions: allowsFractions)
    }

    /// Bodies to this length are read on the loop: a millisecond. Longer ones are read beside it, so that a broadcast
    /// does not hold up a call.
    private static let byteCountMaxOnLoop = 65_536

    /// Whether its body is read on the loop.
    var isSmall: Bool { body.count <= Self.byteCountMaxOnLoop }
}
