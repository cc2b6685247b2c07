/// A request as a client sends it.
package struct HTTP2Request: Sendable {
    /// All of it, in order: `:method`, `:scheme`, `:authority`, `:path`, then the others.
    package var headers: HeaderBlock
    package var body: [UInt8]

    package init(headers: HeaderBlock, body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

/// A complete response.
package struct HTTP2Response: Sendable {
    package let status: Int
    /// Without `:status`.
    package let headers: HeaderBlock
    package let body: [UInt8]
}

/// A complete request as a server got it.
package struct HTTP2ServerRequest: Sendable {
    /// All fields in the order they came, pseudo-headers and duplicates included.
    package let headers: HeaderBlock
    /// Empty when there was more than the server's `bodyByteCountMax`.
    package let body: [UInt8]
    /// What the client really sent; above `body.count` when it was too much to keep.
    package let bodyByteCount: Int

    /// nghttp2 lets no request through without it.
    package var method: ArraySlice<UInt8> { headers[":method"] ?? [] }
    /// Empty for CONNECT, which has none.
    package var path: ArraySlice<UInt8> { headers[":path"] ?? [] }
}
