/// Checks of a browser's request: a page of another site has another `Origin`, and a name that was rebound to this
/// machine is in `Host`.
package struct PageCaller: Sendable {
    private let hosts: [String]
    private let allowsOwnPage: Bool

    /// - Parameters:
    ///   - hosts: names of this server, in lower case, without ports; IPv6 in brackets.
    ///   - allowsOwnPage: False: no page may call.
    package init(hosts: [String], allowsOwnPage: Bool) {
        self.hosts = hosts
        self.allowsOwnPage = allowsOwnPage
    }

    package func checkHost(_ request: HTTPRequest) throws(PageCallerError) {
        let host = request.value(of: "Host") ?? ""
        guard hosts.contains(Self.name(of: host).lowercased()) else { throw .host }
    }

    /// Without the port; an IPv6 address keeps its brackets.
    private static func name(of host: String) -> Substring {
        if host.first == "[", let end = host.firstIndex(of: "]") { return host[...end] }
        return host.prefix { $0 != ":" }
    }

    /// - Parameter scheme: `http` or `https`, as the client sees the server.
    package func checkOrigin(_ request: HTTPRequest, scheme: String = "http") throws(PageCallerError) {
        guard let origin = request.value(of: "Origin") else { return }
        guard allowsOwnPage, origin == "\(scheme)://\(request.value(of: "Host") ?? "")" else { throw .origin }
    }
}

package enum PageCallerError: Error, Equatable {
    case host
    case origin
}
