import Envelope
import ServiceParts

/// Environment variables that override fields of the file, for containers. The same rules apply to the merged document.
enum ConfigurationEnvironment {
    enum Form { case text, number, json }

    struct Variable {
        let name: String
        /// From the outside in; a number is an index.
        let path: [String]
        var form = Form.text
        let text: String
    }

    static let prefix = "SEALEDPUSH_"

    static let all = wholes + parts + limits

    private static let wholes = [
        "dashboard", "database", "listen", "proxies", "socket", "spans", "tenants",
    ].map { field in
        Variable(name: name(field), path: [field], form: .json, text: "'\(field)', as JSON")
    }

    private static let limits = ServiceLimits.settings.map { setting in
        Variable(
            name: name("limits-" + setting.name),
            path: ["limits", setting.name],
            form: .number,
            text: setting.text
        )
    }

    private static func name(_ field: String) -> String {
        prefix + field.uppercased().replacing("-", with: "_")
    }

    private static let parts: [Variable] = [
        Variable(
            name: "SEALEDPUSH_LISTEN_ADDRESS",
            path: ["listen", "0", "address"],
            text: "the first listener's address"
        ),
        Variable(
            name: "SEALEDPUSH_LISTEN_PORT",
            path: ["listen", "0", "port"],
            form: .number,
            text: "the first listener's port"
        ),
        Variable(
            name: "SEALEDPUSH_LOOPBACK_PORT",
            path: ["loopback-port"],
            form: .number,
            text: "the port of plain HTTP on 127.0.0.1"
        ),
        Variable(
            name: "SEALEDPUSH_TLS_CERTIFICATE_FILE",
            path: ["tls", "certificate-file"],
            text: "the server's certificate"
        ),
        Variable(name: "SEALEDPUSH_TLS_KEY_FILE", path: ["tls", "key-file"], text: "its key"),
        Variable(name: "SEALEDPUSH_DATABASE_FILE", path: ["database-file"], text: "the database"),
        Variable(
            name: "SEALEDPUSH_TOKEN_KEY_FILE",
            path: ["token-key-file"],
            text: "the key over device tokens"
        ),
    ]

    /// Negative offset, which no byte of the file has.
    static func offset(of index: Int) -> Int { -1 - index }

    static func variable(at offset: Int) -> Variable? {
        offset < 0 && -1 - offset < all.count ? all[-1 - offset] : nil
    }

    /// Names unknown variables, never their values.
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
            do throws(JSONError) {
                let content = try content(of: value, as: all[index].form)
                let whole = moved(JSONValue(content: content, offset: 0), to: offset(of: index))
                document = setting(all[index].path[...], to: whole, in: document)
            } catch {
                let problem = "expected JSON; \(error.reason)"
                faults.append(ConfigurationError(place: .environment(name), pointer: "", problem: problem))
            }
        }
        return document
    }

    /// Leaves a malformed number as text: the reader reports it.
    private static func content(of value: String, as form: Form) throws(JSONError) -> JSONValue.Content {
        switch form {
        case .text: .string(value)
        case .number: Int64(value).map { .integer($0) } ?? .string(value)
        case .json: try JSONParser.parse(Array(value.utf8), limits: ServiceConfiguration.parserLimits).content
        }
    }

    /// Gives a value and its members the variable's place.
    private static func moved(_ value: JSONValue, to offset: Int) -> JSONValue {
        if let elements = value.elements {
            return JSONValue(content: .array(elements.map { moved($0, to: offset) }), offset: offset)
        }
        guard let members = value.members else { return JSONValue(content: value.content, offset: offset) }
        let all = members.map { JSONMember(name: $0.name, offset: offset, value: moved($0.value, to: offset)) }
        return JSONValue(content: .object(all), offset: offset)
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
