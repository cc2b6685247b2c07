import ServiceParts

/// Operation of the sidecar's API.
enum SidecarRoute: Equatable, Sendable {
    case postMessage
    case getMessage(String)
    case deleteDevice(String)
    case getResends
    case postEvents
    case health
    case readiness
    case metrics

    var takesBody: Bool { self == .postMessage || self == .postEvents }

    var needsToken: Bool { self != .health }

    /// - Throws: `.notFound`, `.methodNotAllowed`.
    init(method: String, path: String) throws(SidecarProblem) {
        let steps = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard steps.count >= 3, steps[0].isEmpty, steps[1] == "v1" else { throw Self.notFound }
        let id = steps.count == 4 && Identifier.isValid(steps[3]) ? steps[3] : nil
        let found: (method: String, route: SidecarRoute)? =
            switch (steps[2], id) {
            case ("messages", let id?): ("GET", .getMessage(id))
            case ("devices", let id?): ("DELETE", .deleteDevice(id))
            case ("messages", nil) where steps.count == 3: ("POST", .postMessage)
            case ("events", nil) where steps.count == 3: ("POST", .postEvents)
            case ("resends", nil) where steps.count == 3: ("GET", .getResends)
            case ("health", nil) where steps.count == 3: ("GET", .health)
            case ("readiness", nil) where steps.count == 3: ("GET", .readiness)
            case ("metrics", nil) where steps.count == 3: ("GET", .metrics)
            default: nil
            }
        guard let found else { throw Self.notFound }
        guard found.method == method || found.method == "GET" && method == "HEAD" else {
            throw SidecarProblem(.methodNotAllowed, "Use \(found.method).")
        }
        self = found.route
    }

    private static var notFound: SidecarProblem {
        SidecarProblem(.notFound, "Check the path; docs/sidecar-openapi.yaml lists them all.")
    }
}
