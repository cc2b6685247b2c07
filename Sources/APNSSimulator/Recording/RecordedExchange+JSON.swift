import APNS
package import Envelope

package enum RecordingError: Error, Equatable, Sendable {
    case notJSON(JSONError.Reason)
    case malformed(member: String)
}

extension RecordingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let reason): "not JSON: \(reason)"
        case .malformed(let member): "the member '\(member)' is missing or malformed"
        }
    }
}

/// One JSON object a line.
extension RecordedExchange {
    package static let lineByteCountMax = 1 << 20

    /// Without the line's end.
    package var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("at", milliseconds)
            writer.member("received", unixSeconds)
            writer.member("connection", connection)
            writer.name("headers")
            writer.array { writer in
                for field in fields {
                    writer.array { writer in
                        writer.string(field.name)
                        writer.string(field.value)
                    }
                }
            }
            path.write(to: &writer)
            authorization?.write(to: &writer)
            writer.member("body-bytes", bodyByteCount)
            if let payload { writer.member("payload", Base64URL.string(payload)) }
            writer.member("apns-id", answeredID)
            outcome.write(to: &writer)
        }
        return writer.bytes
    }

    package init(line: [UInt8]) throws(RecordingError) {
        let limits = JSONParser.Limits(byteCountMax: Self.lineByteCountMax, depthMax: 4, allowsFractions: false)
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(line, limits: limits) } catch {
            throw .notJSON(error.reason)
        }
        let payload = value["payload"]
        self.init(
            milliseconds: Int64(try value.count("at")),
            unixSeconds: try value.integer("received"),
            connection: try value.count("connection"),
            fields: try value.headerFields(),
            path: try Path(value),
            authorization: try Authorization(value),
            bodyByteCount: try value.count("body-bytes"),
            payload: try payload.map { payload throws(RecordingError) in
                guard let text = payload.string, let bytes = Base64URL.decode(Array(text.utf8)) else {
                    throw .malformed(member: "payload")
                }
                return bytes
            },
            answeredID: try value.text("apns-id"),
            outcome: try Outcome(value)
        )
    }
}

extension JSONValue {
    fileprivate func integer(_ name: String) throws(RecordingError) -> Int64 {
        guard case .integer(let number) = self[name]?.content else { throw .malformed(member: name) }
        return number
    }

    fileprivate func count(_ name: String) throws(RecordingError) -> Int {
        let number = try integer(name)
        guard (0...1 << 50).contains(number) else { throw .malformed(member: name) }
        return Int(number)
    }

    fileprivate func text(_ name: String) throws(RecordingError) -> String {
        guard let text = self[name]?.string else { throw .malformed(member: name) }
        return text
    }

    fileprivate func headerFields() throws(RecordingError) -> [RecordedExchange.Field] {
        guard let elements = self["headers"]?.elements else { throw .malformed(member: "headers") }
        var fields: [RecordedExchange.Field] = []
        for element in elements {
            guard let pair = element.elements, pair.count == 2, let name = pair[0].string, let value = pair[1].string
            else { throw .malformed(member: "headers") }
            fields.append(RecordedExchange.Field(name, value))
        }
        return fields
    }
}

extension RecordedExchange.Path {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .device(let number): writer.member("device", number)
        case .stranger(let characterCount, let isHex):
            writer.member("stranger-characters", characterCount)
            writer.member("stranger-is-hex", isHex)
        case .other(let byteCount): writer.member("path-bytes", byteCount)
        }
    }

    fileprivate init(_ value: JSONValue) throws(RecordingError) {
        if value["device"] != nil {
            self = .device(try value.count("device"))
        } else if value["stranger-characters"] != nil {
            guard case .bool(let isHex) = value["stranger-is-hex"]?.content else {
                throw .malformed(member: "stranger-is-hex")
            }
            self = .stranger(characterCount: try value.count("stranger-characters"), isHex: isHex)
        } else {
            self = .other(byteCount: try value.count("path-bytes"))
        }
    }
}

extension RecordedExchange.Authorization {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.name("authorization")
        writer.object { writer in
            switch self {
            case .bearer(let keyID, let teamID, let issuedAt):
                writer.member("kid", "\(keyID)")
                writer.member("iss", "\(teamID)")
                writer.member("iat", issuedAt)
            case .unreadable(let byteCount): writer.member("bytes", byteCount)
            }
        }
    }

    fileprivate init?(_ value: JSONValue) throws(RecordingError) {
        guard let object = value["authorization"] else { return nil }
        if object["bytes"] != nil {
            self = .unreadable(byteCount: try object.count("bytes"))
            return
        }
        // `try?`: the only fault is the form.
        guard let keyID = try? KeyID(try object.text("kid")), let teamID = try? TeamID(try object.text("iss")) else {
            throw .malformed(member: "authorization")
        }
        self = .bearer(keyID: keyID, teamID: teamID, issuedAt: try object.integer("iat"))
    }
}

extension RecordedExchange.Outcome {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .answered(let status, let reason):
            writer.member("status", status)
            if let reason { writer.member("reason", reason.rawValue) }
        case .injected(let fault):
            writer.name("injected")
            writer.object { writer in
                writer.member("fault", fault.name)
                for field in fault.fields { writer.member(field.name, field.text) }
            }
        }
    }

    fileprivate init(_ value: JSONValue) throws(RecordingError) {
        guard let members = value["injected"]?.members else {
            let status = try value.count("status")
            guard let text = value["reason"]?.string else {
                self = .answered(status: status, nil)
                return
            }
            guard let reason = Reason(rawValue: text) else { throw .malformed(member: "reason") }
            self = .answered(status: status, reason)
            return
        }
        let fields = members.map { (name: $0.name, text: $0.value.string ?? "") }
        do throws(InjectionRuleError) {
            self = .injected(try InjectionRule(fields: fields).fault)
        } catch {
            throw .malformed(member: "injected")
        }
    }
}
