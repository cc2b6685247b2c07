internal import CPostgreSQL

/// Servers, database, user and password, from a URL as libpq reads it.
///
/// Several hosts are tried in order, until one takes writes. A host that begins with `/` is the folder of a unix socket;
/// every other one is reached by TLS with a verified name alone. Its description has no password.
package struct DatabaseURL: Sendable, CustomStringConvertible {
    struct Host: Equatable, Sendable {
        let name: String
        let port: UInt16
        var isLocal: Bool { name.hasPrefix("/") }
    }

    let hosts: [Host]
    let database: String
    /// For libpq, without hosts; the password among them.
    let parameters: [String: String]

    package var description: String {
        hosts.map { $0.isLocal ? $0.name : "\($0.name):\($0.port)" }.joined(separator: ",") + "/" + database
    }

    /// - Throws: `.broken(.badURL)`, which quotes nothing of it but a parameter's name.
    package init(_ text: String) throws(PostgreSQLError) {
        var given = try Self.parse(text)
        let names = try Self.take("host", from: &given).split(separator: ",", omittingEmptySubsequences: false)
        hosts = try Self.hosts(names.map(String.init), ports: given.removeValue(forKey: "port") ?? "")
        database = try Self.take("dbname", from: &given)
        let user = try Self.take("user", from: &given)
        guard given.removeValue(forKey: "sslmode").map({ $0 == "verify-full" }) ?? true else {
            throw .broken(.badURL(.insecureMode))
        }
        let known: Set = ["password", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "channel_binding"]
        if let other = given.keys.sorted().first(where: { !known.contains($0) }) {
            throw .broken(.badURL(.unknownParameter(other)))
        }
        given["dbname"] = database
        given["user"] = user
        parameters = given
    }

    private static func take(_ name: String, from given: inout [String: String]) throws(PostgreSQLError) -> String {
        guard let value = given.removeValue(forKey: name), !value.isEmpty else {
            throw .broken(.badURL(.missing(name)))
        }
        return value
    }

    private static func hosts(_ names: [String], ports text: String) throws(PostgreSQLError) -> [Host] {
        let ports = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard ports.count <= 1 || ports.count == names.count else { throw .broken(.badURL(.portCount)) }
        var hosts: [Host] = []
        for (index, name) in names.enumerated() {
            guard !name.isEmpty else { throw .broken(.badURL(.missing("host"))) }
            let port = ports.count > 1 ? ports[index] : ports.first ?? ""
            guard let number = port.isEmpty ? 5432 : UInt16(port), number > 0 else { throw .broken(.badURL(.port)) }
            hosts.append(Host(name: name, port: number))
        }
        return hosts
    }

    /// Given parameters by libpq's names. The library's own text of a failure quotes the URL, and is dropped.
    private static func parse(_ text: String) throws(PostgreSQLError) -> [String: String] {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"), !text.utf8.contains(0) else {
            throw .broken(.badURL(.unreadable))
        }
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(text, &message)
        unsafe PQfreemem(message)
        guard var option = unsafe options else { throw .broken(.badURL(.unreadable)) }
        defer { unsafe PQconninfoFree(options) }
        var given: [String: String] = [:]
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe given[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return given
    }
}
