import HTTP

/// Cookie of a session: unreadable for scripts, sent with requests of the page's own site alone.
///
/// A browser sends it to every port of the host: over TLS only to this host, by the prefix.
///
/// - Source: RFC 6265bis sections 4.1.2 and 4.1.3.2.
enum DashboardCookie {
    private static func name(_ isTLS: Bool) -> String { (isTLS ? "__Host-" : "") + "sealedpush-dashboard" }

    /// - Parameters:
    ///   - secret: empty ends it.
    ///   - isSecure: true behind a proxy with TLS, too.
    static func field(_ secret: String, isTLS: Bool, isSecure: Bool) -> HTTPRequest.Field {
        let age = secret.isEmpty ? 0 : DashboardSessions.seconds
        let value = "\(name(isTLS))=\(secret); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
        return HTTPRequest.Field("Set-Cookie", value + (isSecure ? "; Secure" : ""))
    }

    /// Nil without one, or with several.
    static func secret(_ request: HTTPRequest, isTLS: Bool) -> String? {
        let prefix = name(isTLS) + "="
        let found = request.fields.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }
            .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(prefix) }
        guard found.count == 1 else { return nil }
        return String(found[0].dropFirst(prefix.count))
    }
}
