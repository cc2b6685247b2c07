/// A request's target with scheme and host before its path, as proxies get it and every server has to take it.
///
/// - Source: RFC 9112 section 3.2.2; RFC 9110 sections 4.2.1 to 4.2.4 for what a URI of these schemes may be.
struct HTTP1AbsoluteTarget {
    /// Host and port: they stand in the field `Host`'s place, whatever that says.
    let authority: ArraySlice<UInt8>
    /// From its slash on, with the query; `*` for OPTIONS without either.
    let path: [UInt8]

    private static let schemes: [StaticString] = ["http://", "https://"]

    /// - Parameters:
    ///   - target: as it came.
    ///   - isOptions: whether the method is OPTIONS.
    /// - Returns: nil for what does not begin with a scheme of ours.
    /// - Throws: `.targetMalformed` without a host, or with a name of a user before it.
    static func read(_ target: ArraySlice<UInt8>, isOptions: Bool) throws(HTTPRefusal) -> HTTP1AbsoluteTarget? {
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
