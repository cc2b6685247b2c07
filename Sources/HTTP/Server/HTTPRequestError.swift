/// Refusal before the application sees a request. nghttp2's own end the stream (RFC 9113 section 8.1.1).
enum HTTPRequestError: Error, Equatable, CaseIterable, Sendable {
    case headMalformed
    case targetMalformed
    case hostMalformed
    case lengthMalformed
    case tooSlow
    case lengthMissing
    case expectationUnknown
    case headTooLarge
    case methodUnknown
    case codingUnknown
    case versionUnknown

    var status: Int {
        switch self {
        case .headMalformed, .targetMalformed, .hostMalformed, .lengthMalformed: 400
        case .tooSlow: 408
        case .lengthMissing: 411
        case .expectationUnknown: 417
        case .headTooLarge: 431
        case .methodUnknown, .codingUnknown: 501
        case .versionUnknown: 505
        }
    }

    var detail: StaticString {
        switch self {
        case .headMalformed: "The request line or a header field is malformed (RFC 9112)."
        case .targetMalformed:
            """
            The target must be a path that begins with a slash, in visible ASCII, without a fragment; in HTTP/1.1 a scheme and \
            a host may stand before it.
            """
        case .hostMalformed:
            "There must be exactly one host: a name or an address, and a port in digits behind a colon."
        case .lengthMalformed: "There must be one Content-Length, in digits, and no Transfer-Encoding beside it."
        case .tooSlow: "The request was not complete in time."
        case .lengthMissing: "Send the body with its Content-Length; chunks are not supported."
        case .expectationUnknown: "The only supported expectation is 100-continue."
        case .headTooLarge: "The header fields are too many or too long."
        case .methodUnknown: "Tunnels are not supported."
        case .codingUnknown: "Send the body as it is, with its Content-Length."
        case .versionUnknown: "The supported versions are HTTP/2 by ALPN, HTTP/1.1 and HTTP/1.0."
        }
    }

    private var title: StaticString {
        switch status {
        case 400: "Bad Request"
        case 408: "Request Timeout"
        case 411: "Length Required"
        case 417: "Expectation Failed"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        default: "HTTP Version Not Supported"
        }
    }

    /// RFC 9457 problem, without anything from the request.
    var answer: HTTPAnswer {
        var fields = HeaderBlock()
        fields.append("content-type", "application/problem+json")
        fields.append("cache-control", "no-store")
        let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"detail":"\#(detail)"}"#
        return HTTPAnswer(status: status, fields: fields, body: Array(text.utf8))
    }
}

extension HTTPHead {
    /// Nil: accepted.
    var refusal: HTTPRequestError? {
        let method = method
        if method.elementsEqual("CONNECT".utf8) { return .methodUnknown }
        let path = path
        let isAsterisk = path.count == 1 && path.first == UInt8(ascii: "*") && method.elementsEqual("OPTIONS".utf8)
        guard isAsterisk || path.first == UInt8(ascii: "/"), Self.isVisible(path) else { return .targetMalformed }
        return hasOneHost ? nil : .hostMalformed
    }

    private static func isVisible(_ path: ArraySlice<UInt8>) -> Bool {
        path.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    /// True if each host is valid and two fields name the same (RFC 9113 section 8.3.1).
    private var hasOneHost: Bool {
        var host: Int?
        var authority: Int?
        for index in 0..<fields.count {
            if fields.isNamed("host", at: index) {
                guard host == nil, HTTPAuthority.isValid(fields.value(of: index)) else { return false }
                host = index
            } else if fields.isNamed(":authority", at: index) {
                guard HTTPAuthority.isValid(fields.value(of: index)) else { return false }
                authority = index
            }
        }
        // HTTP/1.0 needs none; the other versions check that themselves.
        guard let host, let authority else { return true }
        return fields.value(of: host).elementsEqual(fields.value(of: authority)) {
            HTTP1Syntax.lowercased($0) == HTTP1Syntax.lowercased($1)
        }
    }
}
