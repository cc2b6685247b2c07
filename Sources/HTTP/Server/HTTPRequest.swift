/// Whole request as text, for services with few or small requests.
package struct HTTPRequest: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        /// In lower case.
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    package let method: String
    /// Undecoded, without the query.
    package let path: String
    /// Nil without a question mark.
    package let query: String?
    /// Without pseudo-headers.
    package let fields: [Field]
    package var body: [UInt8]

    package init(method: String, path: String, query: String? = nil, fields: [Field] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Invalid UTF-8 becomes U+FFFD, which no name, target or number contains.
    package init(_ head: HTTPHead) {
        let target = head.path.split(
            separator: UInt8(ascii: "?"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        self.init(
            method: String(decoding: head.method, as: UTF8.self),
            path: String(decoding: target.first ?? [], as: UTF8.self),
            query: target.count == 2 ? String(decoding: target[1], as: UTF8.self) : nil,
            fields: head.fields.filter { $0.name.first != UInt8(ascii: ":") }.map {
                Field(String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            }
        )
    }

    /// Joins several fields to one list (RFC 9110 section 5.3).
    package func value(of name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HTTPAnswer {
    package init(status: Int, fields: [HTTPRequest.Field], body: Body = .bytes([])) {
        self.init(status: status, body: body)
        for field in fields { self.fields.append(Array(field.name.utf8), Array(field.value.utf8)) }
    }
}

/// Answers with one function, which does not block the server's loop for long.
package final class HTTPRequestApplication: HTTPApplication {
    package typealias Body = (byteCountMax: Int, share: HTTPBodyShare)

    private let body: @Sendable (HTTPRequest) -> Body?
    private let answer: @Sendable (HTTPRequest) -> HTTPAnswer
    private let respond: @Sendable (HTTPRequest, HTTPResponder) -> Void

    /// - Parameter body: Called before the body is read; nil answers without it.
    package init(
        body: @escaping @Sendable (HTTPRequest) -> Body?,
        answer: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
    ) {
        self.body = body
        self.answer = answer
        respond = { $1.respond(answer($0)) }
    }

    /// Form that reads each request's body, and may answer later.
    package init(
        body: @escaping @Sendable (HTTPRequest) -> Body,
        respond: @escaping @Sendable (HTTPRequest, HTTPResponder) -> Void
    ) {
        self.body = { body($0) }
        answer = { _ in HTTPAnswer(status: 503) }
        self.respond = respond
    }

    package func begin(_ head: HTTPHead) -> HTTPBeginning {
        let request = HTTPRequest(head)
        guard let body = body(request) else { return .answer(answer(request)) }
        return .read(byteCountMax: body.byteCountMax, share: body.share, then: HTTPRequestExchange(request, respond))
    }
}

private final class HTTPRequestExchange: HTTPExchange {
    private var request: HTTPRequest
    private let respond: @Sendable (HTTPRequest, HTTPResponder) -> Void

    init(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPRequest, HTTPResponder) -> Void) {
        self.request = request
        self.respond = respond
    }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) {
        switch body {
        case .whole(let bytes):
            request.body = bytes
            respond(request, responder)
        case .tooLarge: responder.respond(HTTPAnswer(status: 413))
        case .noRoom: responder.respond(HTTPAnswer(status: 429, fields: [.init("retry-after", "1")]))
        }
    }
}
