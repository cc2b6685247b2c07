/// A whole request as texts, for services whose requests are few or small.
package struct HTTPRequest: Sendable, Equatable {
    /// One header field.
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
    /// From its slash to the question mark, nothing decoded.
    package let path: String
    /// Behind the question mark; nil without one.
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

    /// The request before its body. Bytes that are no UTF-8 become U+FFFD, which no name, target or number contains.
    init(_ head: HTTPHead) {
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

    /// The value of the fields of this name, several of them as one list (RFC 9110 section 5.3); nil without any.
    package func value(of name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HTTPAnswer {
    /// An answer whose fields are texts.
    package init(status: Int, fields: [HTTPRequest.Field], body: Body = .bytes([])) {
        self.init(status: status, body: body)
        for field in fields { self.fields.append(Array(field.name.utf8), Array(field.value.utf8)) }
    }
}

/// Answers whole requests by one function, which runs on the server's loop and holds it up.
package final class HTTPRequestApplication: HTTPApplication {
    /// How long a body may be, and whose memory it takes.
    package typealias Body = (byteCountMax: Int, share: HTTPBodyShare)

    private let body: @Sendable (HTTPRequest) -> Body?
    private let answer: @Sendable (HTTPRequest) -> HTTPAnswer

    /// - Parameters:
    ///   - body: called before the request's body is there; nil: it is answered without.
    ///   - answer: called with the whole request, or without its body.
    package init(
        body: @escaping @Sendable (HTTPRequest) -> Body?,
        answer: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
    ) {
        self.body = body
        self.answer = answer
    }

    package func begin(_ head: HTTPHead) -> HTTPBeginning {
        let request = HTTPRequest(head)
        guard let body = body(request) else { return .answer(answer(request)) }
        return .read(byteCountMax: body.byteCountMax, share: body.share, then: HTTPRequestExchange(request, answer))
    }
}

/// A whole request whose body is being read.
private final class HTTPRequestExchange: HTTPExchange {
    private var request: HTTPRequest
    private let answer: @Sendable (HTTPRequest) -> HTTPAnswer

    init(_ request: HTTPRequest, _ answer: @escaping @Sendable (HTTPRequest) -> HTTPAnswer) {
        self.request = request
        self.answer = answer
    }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) {
        switch body {
        case .whole(let bytes):
            request.body = bytes
            responder.respond(answer(request))
        case .tooLarge: responder.respond(HTTPAnswer(status: 413))
        case .noRoom: responder.respond(HTTPAnswer(status: 429, fields: [.init("retry-after", "1")]))
        }
    }
}
