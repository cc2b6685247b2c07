/// Request target with scheme and host, which every server must accept.
///
/// - Source: RFC 9112 section 3.2.2; RFC 9110 sections 4.2.1 to 4.2.4 for these schemes' URIs.
struct HTTP1AbsoluteTarget {
    /// Host and port; they replace the field `Host`.
    let authority: ArraySlice<UInt8>
    /// With the query; `*` for OPTIONS without either.
    let path: [UInt8]

    private static let schemes: [StaticString] = ["http://", "https://"]

    /// - Returns: Nil without a supported scheme.
    /// - Throws: `.targetMalformed` without a host, or with a user name.
    static func read(_ target: ArraySlice<UInt8>, isOptions: Bool) throws(HTTPRequestError) -> HTTP1AbsoluteTarget? {
        guard let scheme = schemes.first(where: { begins(target, with: $0) }) else { return nil }
        let rest = target.dropFirst(scheme.utf8CodeUnitCount)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let authority = rest[..<(end ?? rest.endIndex)]
        guard HTTPAuthority.isValid(authority) else { throw .targetMalformed }
        var path = Array(rest[authority.endIndex...])
        // An empty path is the root's, and of OPTIONS the server's (RFC 9112 section 3.2.4).
        if path.isEmpty, isOptions { path = [UInt8(ascii: "*")] }
        if path.first != UInt8(ascii: "/"), path.first != UInt8(ascii: "*") { path.insert(UInt8(ascii: "/"), at: 0) }
        return HTTP1AbsoluteTarget(authority: authority, path: path)
    }

    private static func begins(_ target: ArraySlice<UInt8>, with scheme: StaticString) -> Bool {
        scheme.withUTF8Buffer { scheme in
            unsafe target.prefix(scheme.count).elementsEqual(scheme) { HTTP1Syntax.lowercased($0) == $1 }
        }
    }
}
