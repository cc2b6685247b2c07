/// Checks of a browser's request: a page of another site has another `Origin`, and a name that was rebound to this
/// machine is in `Host`.
package struct PageCaller: Sendable {
    private let hosts: [String]
    private let allowsOwnPage: Bool

    /// - Parameters:
    ///   - hosts: names of this server, in lower case, without ports.
    ///   - allowsOwnPage: False: no page may call.
    package init(hosts: [String], allowsOwnPage: Bool) {
        self.hosts = hosts
        self.allowsOwnPage = allowsOwnPage
    }

    package func checkHost(_ request: HTTPRequest) throws(PageCallerError) {
        let host = (request.value(of: "Host") ?? "").split(separator: ":", omittingEmptySubsequences: false).first ?? ""
        guard hosts.contains(host.lowercased()) else { throw .host }
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
