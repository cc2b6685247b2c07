import APNS
import Envelope

/// Total: each fault is a problem with advice.
package struct ControlRequest: Sendable {
    /// Value of `{n}`.
    var number: Int?
    private let query: [(name: String, text: String)]
    private let members: [JSONMember]

    private static let limits = JSONParser.Limits(byteCountMax: 1 << 16, depthMax: 4, allowsFractions: false)

    /// - Parameters:
    ///   - query: not percent-decoded.
    ///   - body: empty, or a JSON object.
    package init(number: Int?, query: String?, body: [UInt8]) throws(ControlProblem) {
        self.number = number
        self.query = (query ?? "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(sides[0]), text: sides.count == 2 ? String(sides[1]) : "")
        }
        guard !body.isEmpty else {
            members = []
            return
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(body, limits: Self.limits)
        } catch {
            let (line, column) = JSONError.position(of: error.offset, in: body)
            throw ControlProblem("the body is not a JSON object: \(error.reason) (line \(line), column \(column))")
        }
        guard let members = value.members else { throw ControlProblem("the body must be a JSON object, in braces") }
        self.members = members
    }

    /// - Throws: the first unknown name.
    package func allow(members allowed: [String] = [], query allowedQuery: [String] = []) throws(ControlProblem) {
        if let stranger = members.first(where: { !allowed.contains($0.name) }) {
            throw ControlProblem(
                "'\(stranger.name)' is unknown; \(Self.list(allowed, "the body"))"
            )
        }
        if let stranger = query.first(where: { !allowedQuery.contains($0.name) }) {
            throw ControlProblem(
                "'\(stranger.name)' is unknown; \(Self.list(allowedQuery, "the query"))"
            )
        }
    }

    private static func list(_ names: [String], _ place: String) -> String {
        names.isEmpty ? "\(place) takes no names" : "\(place) takes \(names.joined(separator: ", "))"
    }

    package func text(_ name: String, example: String) throws(ControlProblem) -> String {
        guard let value = members.first(where: { $0.name == name })?.value else {
            throw ControlProblem("'\(name)' is missing; write \"\(name)\": \"\(example)\", for instance")
        }
        guard let text = value.string else {
            throw ControlProblem("'\(name)' must be a string, such as \"\(example)\"")
        }
        return text
    }

    package func optionalText(_ name: String, example: String) throws(ControlProblem) -> String? {
        members.contains { $0.name == name } ? try text(name, example: example) : nil
    }

    package func integer(_ name: String) throws(ControlProblem) -> Int64? {
        guard let value = members.first(where: { $0.name == name })?.value else { return nil }
        guard case .integer(let number) = value.content else {
            throw ControlProblem("'\(name)' must be a whole number")
        }
        return number
    }

    package func queryNumber(_ name: String, in range: ClosedRange<Int>, otherwise standard: Int) throws(ControlProblem)
        -> Int
    {
        guard let text = query.first(where: { $0.name == name })?.text else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw ControlProblem("'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func queryID(_ name: String) throws(ControlProblem) -> APNSID? {
        guard let text = query.first(where: { $0.name == name })?.text else { return nil }
        guard let id = APNSID(text: Array(text.utf8).span, acceptsUpperCase: true) else {
            throw ControlProblem("'\(name)' must be a UUID, from the answer to a push")
        }
        return id
    }

    func topic(_ name: String) throws(ControlProblem) -> Topic {
        let text = try text(name, example: "com.example.chat")
        do throws(APNSError) { return try Topic(text) } catch {
            throw ControlProblem("'\(name)' must be an app's bundle id, such as com.example.chat")
        }
    }

    func reason(_ name: String) throws(ControlProblem) -> Reason? {
        guard members.contains(where: { $0.name == name }) else { return nil }
        guard let reason = Reason(rawValue: try text(name, example: "Shutdown")) else {
            throw ControlProblem("'\(name)' must be one of Apple's reasons, such as Shutdown")
        }
        return reason
    }

    func fields() throws(ControlProblem) -> [(name: String, text: String)] {
        var fields: [(name: String, text: String)] = []
        for member in members {
            switch member.value.content {
            case .string(let text): fields.append((member.name, text))
            case .integer(let number): fields.append((member.name, "\(number)"))
            case .bool(let flag): fields.append((member.name, flag ? "yes" : "no"))
            default: throw ControlProblem("'\(member.name)' must be a string, a whole number, true or false")
            }
        }
        return fields
    }
}
