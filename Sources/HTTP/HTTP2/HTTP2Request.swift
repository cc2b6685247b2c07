package struct HTTP2Request: Sendable {
    package var headers: HeaderBlock
    package var body: [UInt8]

    package init(headers: HeaderBlock, body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

package struct HTTP2Response: Sendable {
    package let status: Int
    /// Without `:status`.
    package let headers: HeaderBlock
    package let body: [UInt8]
}

package struct HTTP2ServerRequest: Sendable {
    package let headers: HeaderBlock
    /// Empty above the server's `bodyByteCountMax`.
    package let body: [UInt8]
    /// Bytes received, also of a body too large to keep.
    package let bodyByteCount: Int

    /// nghttp2 refuses requests without it.
    package var method: ArraySlice<UInt8> { headers[":method"] ?? [] }
    /// Empty for CONNECT.
    package var path: ArraySlice<UInt8> { headers[":path"] ?? [] }
}
