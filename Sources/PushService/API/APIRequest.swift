package struct APIRequest: Equatable, Sendable {
    package let method: String
    /// Path as received, nothing decoded.
    package let path: String
    package let query: String?
    /// Names in lower case.
    package let fields: [Field]
    package let body: [UInt8]
    package let client: IPAddress?

    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(
        method: String,
        path: String,
        query: String? = nil,
        fields: [Field] = [],
        body: [UInt8] = [],
        client: IPAddress? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.client = client
    }

    /// Value of the only such field.
    package func value(of name: String) -> String? {
        guard let first = fields.firstIndex(where: { $0.name == name }),
            !fields[(first + 1)...].contains(where: { $0.name == name })
        else { return nil }
        return fields[first].value
    }

    package func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}

/// Answer without `content-length`, which the server adds.
package struct APIResponse: Equatable, Sendable {
    package var status: Int
    package var fields: [APIRequest.Field]
    package var body: [UInt8]

    package init(status: Int, fields: [APIRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Uncacheable answer.
    package static func json(_ status: Int, _ body: [UInt8]) -> APIResponse {
        APIResponse(
            status: status,
            fields: [.init("content-type", "application/json"), .init("cache-control", "no-store")],
            body: body
        )
    }
}
