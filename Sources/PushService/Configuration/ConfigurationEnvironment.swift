import Envelope
import ServiceParts

/// Environment variables that override fields of the file, for containers: merged into the document, under the same
/// rules.
enum ConfigurationEnvironment {
    struct Variable {
        let name: String
        /// From the outside in; a number is an index.
        let path: [String]
        let isNumber: Bool
        let text: String
    }

    static let prefix = "SEALEDPUSH_"

    static let all: [Variable] = [
        Variable(
            name: "SEALEDPUSH_LISTEN_ADDRESS",
            path: ["listen", "0", "address"],
            isNumber: false,
            text: "the first listener's address"
        ),
        Variable(
            name: "SEALEDPUSH_LISTEN_PORT",
            path: ["listen", "0", "port"],
            isNumber: true,
            text: "the first listener's port"
        ),
        Variable(
            name: "SEALEDPUSH_LOOPBACK_PORT",
            path: ["loopback-port"],
            isNumber: true,
            text: "the port of plain HTTP on 127.0.0.1"
        ),
        Variable(
            name: "SEALEDPUSH_TLS_CERTIFICATE_FILE",
            path: ["tls", "certificate-file"],
            isNumber: false,
            text: "the server's certificate"
        ),
        Variable(name: "SEALEDPUSH_TLS_KEY_FILE", path: ["tls", "key-file"], isNumber: false, text: "its key"),
        Variable(name: "SEALEDPUSH_DATABASE_FILE", path: ["database-file"], isNumber: false, text: "the database"),
        Variable(
            name: "SEALEDPUSH_TOKEN_KEY_FILE",
            path: ["token-key-file"],
            isNumber: false,
            text: "the key over device tokens"
        ),
    ]

    /// Negative offset, which no byte of the file has.
    static func offset(of index: Int) -> Int { -1 - index }

    static func variable(at offset: Int) -> Variable? {
        offset < 0 && -1 - offset < all.count ? all[-1 - offset] : nil
    }

    /// A fault names an unknown variable, never its value.
    static func apply(_ environment: [String: String], to document: JSONValue, faults: inout [ConfigurationError])
        -> JSONValue
    {
        var document = document
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            guard let index = all.firstIndex(where: { $0.name == name }) else {
                guard faults.count < FieldErrors.countMax else { continue }
                let hint =
                    NearestName.nearest(to: name, among: all.map(\.name)).map { "did you mean \($0)?" }
                    ?? "known are \(all.map(\.name).joined(separator: ", "))"
                let shown = NearestName.presentable(name) ?? prefix + "…"
                faults.append(
                    ConfigurationError(place: .environment(shown), pointer: "", problem: "unknown variable; \(hint)")
                )
                continue
            }
            let offset = offset(of: index)
            // A malformed number stays text, so that the reader reports it.
            let content: JSONValue.Content =
                all[index].isNumber ? Int64(value).map { .integer($0) } ?? .string(value) : .string(value)
            document = setting(all[index].path[...], to: JSONValue(content: content, offset: offset), in: document)
        }
        return document
    }

    private static func setting(_ path: ArraySlice<String>, to value: JSONValue, in parent: JSONValue?) -> JSONValue {
        guard let step = path.first else { return value }
        if let index = Int(step) {
            if let parent, parent.elements == nil { return parent }
            var elements = parent?.elements ?? []
            let old = index < elements.count ? elements[index] : nil
            let new = setting(path.dropFirst(), to: value, in: old)
            if index < elements.count { elements[index] = new } else { elements.append(new) }
            return JSONValue(content: .array(elements), offset: parent?.offset ?? value.offset)
        }
        if let parent, parent.members == nil { return parent }
        var members = parent?.members ?? []
        let place = members.firstIndex { $0.name == step }
        let new = setting(path.dropFirst(), to: value, in: place.map { members[$0].value })
        let member = JSONMember(name: step, offset: new.offset, value: new)
        if let place { members[place] = member } else { members.append(member) }
        return JSONValue(content: .object(members), offset: parent?.offset ?? value.offset)
    }
}
