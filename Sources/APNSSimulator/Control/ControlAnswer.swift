package import Envelope
package import HTTP

package struct ControlAnswer {
    var status = 200
    var json: [UInt8]
    var endsSimulator = false

    package init(status: Int = 200, _ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(members)
        self.status = status
        json = writer.bytes
    }

    package var response: HTTPAnswer {
        HTTPAnswer(
            status: status,
            fields: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
            body: .bytes(json + [UInt8(ascii: "\n")])
        )
    }
}

/// Refusal of a call.
///
/// - Source: RFC 9457, without members that need pages.
package struct ControlProblem: Error, Equatable {
    package let status: Int
    /// Sentence with what to write instead.
    package let detail: String
    /// With a 405.
    var allow: String?

    package init(_ detail: String) { self.init(400, detail) }

    package init(_ status: Int, _ detail: String, allow: String? = nil) {
        self.status = status
        self.detail = detail
        self.allow = allow
    }

    package var response: HTTPAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", status)
            writer.member("detail", detail)
        }
        var fields: [HTTPRequest.Field] = [
            .init("Content-Type", "application/problem+json"), .init("Cache-Control", "no-store"),
        ]
        if let allow { fields.append(.init("Allow", allow)) }
        if status == 401 { fields.append(.init("WWW-Authenticate", "Bearer")) }
        return HTTPAnswer(status: status, fields: fields, body: .bytes(writer.bytes + [UInt8(ascii: "\n")]))
    }
}
