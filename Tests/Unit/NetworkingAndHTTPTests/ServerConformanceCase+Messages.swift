import TestSupport

/// Sections 8.1 to 8.3: requests.
extension ServerConformanceCase {
    private static let method: [UInt8] = [0x83]
    private static let scheme: [UInt8] = [0x87]
    private static let path: [UInt8] = [0x84]
    private static let authority: [UInt8] = [0x01, 1, 0x78]

    private static func refused(_ section: String, _ sentence: String, _ bytes: [UInt8]) -> ServerConformanceCase {
        ServerConformanceCase(section, sentence, [block(bytes)], malformed)
    }

    private static func taken(_ section: String, _ sentence: String, _ bytes: [UInt8]) -> ServerConformanceCase {
        ServerConformanceCase(section, sentence, [block(bytes)], .goesOn, answers: [1])
    }

    static let framedMessages = [
        ServerConformanceCase(
            "8.1",
            "sends trailers",
            [open(), RawFrame.data(stream: 1, Array("test".utf8)), block(field("x-more", "1"))],
            .goesOn,
            answers: [1]
        ),
        ServerConformanceCase(
            "8.1",
            "sends trailers without END_STREAM",
            [open(), block(field("x-more", "1"), endsStream: false)],
            malformed
        ),
        ServerConformanceCase("8.1", "sends a pseudo-header in trailers", [open(), block(method)], malformed),

        refused("8.1.1", "promises a body and sends none", head + field("content-length", "5")),
        ServerConformanceCase(
            "8.1.1",
            "sends less than its content-length",
            [block(head + field("content-length", "5"), endsStream: false), lastData()],
            malformed
        ),
        ServerConformanceCase(
            "8.1.1",
            "sends more than its content-length",
            [block(head + field("content-length", "3"), endsStream: false), lastData()],
            malformed
        ),
        ServerConformanceCase(
            "8.1.1",
            "sends its content-length in two frames",
            [
                block(head + field("content-length", "8"), endsStream: false),
                RawFrame.data(stream: 1, Array("test".utf8)), lastData(),
            ],
            .goesOn,
            answers: [1]
        ),
        refused("8.1.1", "sends a content-length that is no number", head + field("content-length", "-1")),
        refused(
            "8.1.1",
            "sends two different content-lengths",
            head + field("content-length", "0") + field("content-length", "1")
        ),
    ]

    static let fields = [
        refused("8.2.1", "sends a name in upper case", head + field("X-Upper", "1")),
        refused("8.2.1", "sends a name with a space", head + field("x y", "1")),
        refused("8.2.1", "sends a name with a control character", head + field("x\u{1}", "1")),
        refused("8.2.1", "sends a name beyond ASCII", head + [0, 1, 0x80, 1, 0x31]),
        refused("8.2.1", "sends a name with a colon", head + field("x:y", "1")),
        refused("8.2.1", "sends an empty name", head + [0, 0, 1, 0x31]),
        refused("8.2.1", "sends a value with NUL", head + field("x-nul", "1\0002")),
        refused("8.2.1", "sends a value with a line feed", head + field("x-lf", "1\n2")),
        refused("8.2.1", "sends a value with a carriage return", head + field("x-cr", "1\r2")),
        refused("8.2.1", "sends a value that begins with a space", head + field("x-space", " 1")),
        refused("8.2.1", "sends a value that ends with a tab", head + field("x-tab", "1\t")),
        taken("8.2.1", "sends a value beyond ASCII", head + field("x-more", "\u{E9}")),

        refused("8.2.2", "sends connection", head + field("connection", "x")),
        refused("8.2.2", "sends proxy-connection", head + field("proxy-connection", "x")),
        refused("8.2.2", "sends keep-alive", head + field("keep-alive", "1")),
        refused("8.2.2", "sends transfer-encoding", head + field("transfer-encoding", "chunked")),
        refused("8.2.2", "sends upgrade", head + field("upgrade", "h2c")),
        refused("8.2.2", "sends te with more than trailers", head + field("te", "gzip")),
        taken("8.2.2", "sends te with trailers", head + field("te", "trailers")),
        taken("8.2.3", "sends a cookie in two fields", head + field("cookie", "a=b") + field("cookie", "c=d")),
    ]

    static let pseudoHeaders = [
        refused("8.3", "sends a pseudo-header that is not defined", field(":x", "1") + head),
        refused("8.3", "sends a response's pseudo-header", [0x88] + head),
        refused("8.3", "sends a pseudo-header behind a field", method + scheme + path + field("x", "1") + authority),
        refused("8.3.1", "sends no method", scheme + path + authority),
        refused("8.3.1", "sends no scheme", method + path + authority),
        refused("8.3.1", "sends no path", method + scheme + authority),
        refused("8.3.1", "sends an empty path", method + scheme + [0x04, 0] + authority),
        refused("8.3.1", "sends a path without a slash", method + scheme + [0x04, 1, 0x78] + authority),
        refused("8.3.1", "sends two methods", method + method + scheme + path + authority),
        refused("8.3.1", "sends two schemes", method + scheme + scheme + path + authority),
        refused("8.3.1", "sends two paths", method + scheme + path + path + authority),
        refused("8.3.1", "sends two authorities", method + scheme + path + authority + authority),
        refused("8.3.1", "sends neither authority nor host", method + scheme + path),
        refused("8.5", "sends CONNECT with a path", field(":method", "CONNECT") + scheme + path + authority),
    ]
}
