import ServiceParts

/// Place of all that the service keeps.
package enum DatabasePlace: Equatable, Sendable {
    /// SQLite's file, of one relay.
    case file(String)
    /// PostgreSQL, of one relay or more.
    case server(DatabaseServer)

    /// nil for a server.
    package var file: String? { if case .file(let path) = self { path } else { nil } }

    /// Name in errors: the file that is it, or that has its URL.
    package var path: String {
        switch self {
        case .file(let path): path
        case .server(let server): server.urlFile
        }
    }

    /// Member of the configuration.
    var pointer: String {
        switch self {
        case .file: "/database-file"
        case .server: "/database/url-file"
        }
    }
}

/// Database that several relays share.
package struct DatabaseServer: Equatable, Sendable {
    /// Has the URL, with user and password; 0600.
    package let urlFile: String
    /// False: without a synchronous standby the relay is ready too, and a failover may lose what it acknowledged.
    package var requiresStandby = true
    /// Of this relay, one for notifications of other relays not counted.
    package var connectionCountMax = 8

    static let names = ["url-file", "requires-standby", "connections"]
    static let urlByteCountMax = 4_096

    /// Nil after a fault.
    init?(_ reader: ObjectReader) {
        let file = reader.file("url-file", isRequired: true)
        if let requires = reader.flag("requires-standby") { requiresStandby = requires }
        if let count = reader.integer("connections", in: 1...256) { connectionCountMax = Int(count) }
        guard let file else { return nil }
        urlFile = file
    }
}
