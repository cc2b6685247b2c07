import Envelope
import HTTP
import PushStore

/// Admitted request's head. A class: cheaper than copying at each step.
final class APIAdmission: Sendable {
    let route: Route
    /// Identifier in the path; empty without one.
    let id: String
    let query: String?
    /// Body's type, idempotency key and trace context; of a server's push, its credentials too.
    let fields: [APIRequest.Field]
    /// Key's rights; nil if none are needed.
    let grant: Grant?
    /// Hash of a device's key, for the device's routes.
    let endpointKeyHash: [UInt8]?
    /// Fields of a server's push.
    let webPush: WebPushRequest?
    let share: HTTPBodyShare
    /// Settings on arrival.
    let settings: ServiceSettings
    /// Nanoseconds of the monotonic clock.
    let begun: Int64

    init(
        route: Route,
        id: String,
        query: String?,
        fields: [APIRequest.Field],
        grant: Grant?,
        endpointKeyHash: [UInt8]?,
        webPush: WebPushRequest?,
        share: HTTPBodyShare,
        settings: ServiceSettings,
        begun: Int64
    ) {
        self.route = route
        self.id = id
        self.query = query
        self.fields = fields
        self.grant = grant
        self.endpointKeyHash = endpointKeyHash
        self.webPush = webPush
        self.share = share
        self.settings = settings
        self.begun = begun
    }
}

struct APICall: Sendable {
    private let admission: APIAdmission
    let body: [UInt8]

    init(_ admission: APIAdmission, body: [UInt8]) {
        self.admission = admission
        self.body = body
    }

    var route: Route { admission.route }
    var id: String { admission.id }
    var query: String? { admission.query }
    var grant: Grant? { admission.grant }
    var endpointKeyHash: [UInt8]? { admission.endpointKeyHash }
    var webPush: WebPushRequest? { admission.webPush }
    var share: HTTPBodyShare { admission.share }
    var settings: ServiceSettings { admission.settings }
    var begun: Int64 { admission.begun }

    /// Caller's trace. W3C demands nil for an invalid or repeated field.
    var traceContext: TraceContext? { request.value(of: TraceContext.fieldName).flatMap { TraceContext($0) } }

    /// Request for parsers, without the key.
    var request: APIRequest {
        APIRequest(method: route.method, path: "", query: query, fields: admission.fields, body: body)
    }

    /// - Throws: `.unauthorized`, only for a route without a scope.
    func tenant() throws(Problem) -> TenantConfiguration {
        guard let grant, let tenant = settings.tenant(grant.tenant) else {
            throw Problem(.unauthorized, "Send a key of the tenant as 'Authorization: Bearer spk_…', once.")
        }
        return tenant
    }

    /// Largest sensible body, within the setting.
    static func bodyByteCountMax(_ operation: Route.Operation, _ limits: ServiceLimits) -> Int {
        let wanted =
            switch operation {
            case .postNotifications: limits.bodyByteCountMax
            case .putDevice: 65_536
            case .putEndpointKey, .postEndpoint: 1_024
            case .postEnrolment: EnrolmentRequest.byteCountMax
            case .postWebPush: WebPushRequest.bodyByteCountMax
            // A payload whose every character is escaped, and the devices' ids.
            case .postSAP: 65_536 + SAPNotification.deviceCountMax * 80
            case .postReceipts: 1_024 + limits.receiptCountMax * 128
            case .postResends: 1_024 + ResendRequest.countMax * 128
            // Ids, tags and names of members, with room for white space.
            case .queryBundles: 1_024 + BundleQuery.countMax * 256
            case .replayDeadLetters: 1_024 + DeadLetterReplay.countMax * 64
            default: 0
            }
        return min(wanted, limits.bodyByteCountMax)
    }

    /// - Throws: `.unsupportedMediaType`, `.bodyTooLarge`, `.notJSON`.
    func json(allowsFractions: Bool = false) throws(Problem) -> JSONValue {
        let byteCountMax = Self.bodyByteCountMax(route.operation, settings.limits)
        return try RequestBody.json(request, byteCountMax: byteCountMax, allowsFractions: allowsFractions)
    }

    /// Longer bodies are parsed beside the loop, to delay no call; these take it a millisecond.
    private static let byteCountMaxOnLoop = 65_536

    var isSmall: Bool { body.count <= Self.byteCountMaxOnLoop }
}
