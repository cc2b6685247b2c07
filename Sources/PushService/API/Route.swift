import ServiceParts

/// Operation of the API. docs/openapi.yaml is checked against this table.
package struct Route: Equatable, Sendable {
    package enum Body: Equatable, Sendable {
        case none
        case json
        /// One of RFC 8291.
        case record
    }

    package enum Operation: String, CaseIterable, Sendable {
        case putDevice
        case getDevice
        case deleteDevice
        case putEndpointKey
        case listDeviceEndpoints
        case getBundle
        case queryBundles
        case getDeliveries
        case listDeviceNotifications
        case postResends
        case postNotifications
        case getNotification
        case getTrace
        case postReceipts
        case postEnrolment
        case postChallenge
        case postEndpoint
        case listEndpoints
        case deleteEndpoint
        case postWebPush
        case getGateway
        case putBlock
        case deleteBlock
        case getRecord
        case listDeadLetters
        case replayDeadLetters
        case postSAP
        case getStatistics
        case getDays
        case getServiceStatistics
        case getServiceDays
        case health
        case readiness
        case metrics

        /// True if refused under load.
        var isSubmission: Bool {
            switch self {
            case .postNotifications, .postSAP, .replayDeadLetters, .postWebPush: true
            default: false
            }
        }

        /// True if the device's endpoint key is its key.
        var isDevices: Bool {
            switch self {
            case .postEnrolment, .postChallenge, .postEndpoint, .listEndpoints, .deleteEndpoint: true
            default: false
            }
        }
    }

    package let operation: Operation
    package let method: String
    /// An identifier is in braces.
    package let pattern: String
    /// Nil: no key is needed.
    package let scope: Scope?
    package let body: Body
    package let query: [String]

    static let webPushPath = "/wp/"

    /// Receipts and endpoints need no key: the capability is one, and a key inside an app would be public.
    package static let all: [Route] = [
        Route(.putDevice, "PUT", "/v1/devices/{id}", .manage, .json),
        Route(.getDevice, "GET", "/v1/devices/{id}", .read),
        Route(.deleteDevice, "DELETE", "/v1/devices/{id}", .manage),
        Route(.putEndpointKey, "PUT", "/v1/devices/{id}/endpoint-key", .manage, .json),
        Route(.listDeviceEndpoints, "GET", "/v1/devices/{id}/endpoints", .read),
        Route(.getBundle, "GET", "/v1/devices/{id}/bundle", .read),
        Route(.queryBundles, "POST", "/v1/bundles/query", .read, .json),
        Route(.getDeliveries, "GET", "/v1/devices/{id}/deliveries", .read),
        Route(.listDeviceNotifications, "GET", "/v1/devices/{id}/notifications", .read),
        Route(.postResends, "POST", "/v1/resends", nil, .json),
        Route(.postNotifications, "POST", "/v1/notifications", .send, .json),
        Route(.getNotification, "GET", "/v1/notifications/{id}", .read),
        Route(.getTrace, "GET", "/v1/traces/{id}", .read),
        Route(.postReceipts, "POST", "/v1/receipts", nil, .json),
        Route(.postEnrolment, "POST", "/v1/enrolments", nil, .json),
        Route(.postChallenge, "POST", "/v1/enrolments/challenge", nil),
        Route(.postEndpoint, "POST", "/v1/endpoints", nil, .json),
        Route(.listEndpoints, "GET", "/v1/endpoints", nil),
        Route(.deleteEndpoint, "DELETE", "/v1/endpoints/{id}", nil),
        Route(.postWebPush, "POST", webPushPath + "{id}", nil, .record),
        Route(.getGateway, "GET", "/v1/gateway", .read),
        Route(.putBlock, "PUT", "/v1/gateway/blocks/{id}", .manage),
        Route(.deleteBlock, "DELETE", "/v1/gateway/blocks/{id}", .manage),
        Route(.getRecord, "GET", "/v1/records/{id}", nil),
        Route(.listDeadLetters, "GET", "/v1/dead-letters", .manage, query: ["cursor", "limit"]),
        Route(.replayDeadLetters, "POST", "/v1/dead-letters/replay", .manage, .json),
        Route(.postSAP, "POST", "/v1/compat/sap", .send, .json),
        Route(.getStatistics, "GET", "/v1/statistics", .read),
        Route(.getDays, "GET", "/v1/statistics/days", .read, query: ["day"]),
        Route(.getServiceStatistics, "GET", "/v1/service/statistics", .metrics),
        Route(.getServiceDays, "GET", "/v1/service/statistics/days", .metrics, query: ["day"]),
        Route(.health, "GET", "/v1/health", nil),
        Route(.readiness, "GET", "/v1/readiness", nil),
        Route(.metrics, "GET", "/v1/metrics", .metrics),
    ]

    private init(
        _ operation: Operation,
        _ method: String,
        _ pattern: String,
        _ scope: Scope?,
        _ body: Body = .none,
        query: [String] = []
    ) {
        self.operation = operation
        self.method = method
        self.pattern = pattern
        self.scope = scope
        self.body = body
        self.query = query
    }
}

package enum Router {
    package struct Match: Equatable, Sendable {
        package let route: Route
        package let id: String?
    }

    static let pathByteCountMax = 256
    private static let get = Array("GET".utf8)[...]

    /// Split once, not for every request.
    private static let rows = Route.all.map { Row($0) }

    private struct Row {
        let route: Route
        let method: [UInt8]
        let pattern: [UInt8]
        let steps: [ArraySlice<UInt8>]
        let isExact: Bool

        init(_ route: Route) {
            self.route = route
            method = Array(route.method.utf8)
            pattern = Array(route.pattern.utf8)
            steps = split(pattern[...])
            isExact = !pattern.contains(UInt8(ascii: "{"))
        }
    }

    package static func match(method: String, path: String) throws(Problem) -> Match {
        try match(method: Array(method.utf8)[...], path: Array(path.utf8)[...])
    }

    /// Finds a route. Paths are neither decoded nor normalized, so each has one spelling.
    ///
    /// - Parameter method: upper case. HEAD counts as GET; the server omits the body (RFC 9110 section 9.3.2).
    /// - Throws: `.notFound`, or `.methodNotAllowed` with the path's methods.
    package static func match(method: ArraySlice<UInt8>, path: ArraySlice<UInt8>) throws(Problem) -> Match {
        let method = method.elementsEqual("HEAD".utf8) ? get : method
        for row in rows where row.isExact && row.pattern.elementsEqual(path) && row.method.elementsEqual(method) {
            return Match(route: row.route, id: nil)
        }
        if let match = webPush(method: method, path: path) { return match }
        guard path.count <= pathByteCountMax, path.first == UInt8(ascii: "/"),
            path.allSatisfy({ $0 == UInt8(ascii: "/") || Identifier.isCharacter($0) })
        else { throw notFound }
        let steps = split(path)
        var allowed: [String] = []
        for row in rows {
            guard let match = match(row.route, row.steps, steps) else { continue }
            if row.method.elementsEqual(method) { return match }
            allowed.append(row.route.method)
            if row.method[...] == get { allowed.append("HEAD") }
        }
        guard !allowed.isEmpty else { throw notFound }
        var problem = Problem(.methodNotAllowed, "Use \(allowed.joined(separator: " or ")).")
        problem.allow = allowed
        throw problem
    }

    private static let webPushRow = rows.first { $0.route.operation == .postWebPush }
    private static let webPushPrefix = Array(Route.webPushPath.utf8)

    /// Of the routes with an identifier, the busiest.
    private static func webPush(method: ArraySlice<UInt8>, path: ArraySlice<UInt8>) -> Match? {
        guard let row = webPushRow, path.starts(with: webPushPrefix), row.method.elementsEqual(method) else {
            return nil
        }
        let id = path.dropFirst(webPushPrefix.count)
        guard (1...Identifier.byteCountMax).contains(id.count), id.allSatisfy(Identifier.isCharacter) else {
            return nil
        }
        return Match(route: row.route, id: String(decoding: id, as: UTF8.self))
    }

    private static var notFound: Problem {
        Problem(
            .notFound,
            "Check the path; docs/openapi.yaml lists them all, and identifiers have 1 to 64 of A-Z a-z 0-9 - _."
        )
    }

    private static func match(
        _ route: Route,
        _ pattern: [ArraySlice<UInt8>],
        _ steps: [ArraySlice<UInt8>]
    ) -> Match? {
        guard pattern.count == steps.count else { return nil }
        var id: ArraySlice<UInt8>?
        for (expected, step) in zip(pattern, steps) {
            if expected.first == UInt8(ascii: "{") {
                guard (1...Identifier.byteCountMax).contains(step.count) else { return nil }
                id = step
            } else if expected != step {
                return nil
            }
        }
        return Match(route: route, id: id.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Keeps empty segments: `//` and a final slash match nothing.
    private static func split(_ path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}
