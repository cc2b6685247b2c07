import TestCertificates

/// Requests after which no byte of an HTTP/1.1 connection can be trusted: two readers might split them differently, so
/// that one finds a smuggled request behind them (RFC 9112 section 11.2).
enum AmbiguousRequest {
    static let all: [(name: String, text: String)] =
        [
            ("two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhi"),
            ("the same length twice", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi"),
            ("a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\nhi"),
            ("a length with a sign", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\nhi"),
            ("a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\nhi"),
            ("a hexadecimal length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\nhi"),
            ("an empty length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\nhi"),
            (
                "length and transfer coding",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            (
                "a transfer coding",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
            ),
            ("an unknown transfer coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n"),
            (
                "two transfer codings",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            ("a space before the colon", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\nhi"),
            ("a tab before the colon", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
            ("a line without a colon", "GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n"),
            ("a carriage return in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rContent-Length: 9\r\n\r\n"),
            ("a carriage return in a name", "GET / HTTP/1.1\r\nHost: x\r\nA\rB: c\r\n\r\n"),
            ("a name that is no token", "GET / HTTP/1.1\r\nHost: x\r\nA(b): c\r\n\r\n"),
            ("an empty name", "GET / HTTP/1.1\r\nHost: x\r\n: c\r\n\r\n"),
            ("a first line that goes on", "GET / HTTP/1.1\r\n Host: y\r\nHost: x\r\n\r\n"),
            ("a length that goes on", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n 2\r\n\r\nhi"),
            ("no host", "GET / HTTP/1.1\r\n\r\n"),
            ("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
            ("a target with a space", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("a target with a fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("a target beyond ASCII", "GET /é HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("version 1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n"),
            ("version 2.0", "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
            ("no version", "GET /\r\n\r\n"),
            ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ] + targets

    private static let targets =
        [
            "ftp://x/", "https:///a", "https://:443/a", "https://user@x/", "https://user:word@x/", "https:/x/",
            "http:x",
            "https://x:y/", "https://x/a#b", #"https://x\y/"#, "https://",
        ].map { (name: "the target \($0)", text: "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n") } + [
            ("an absolute target of HTTP/1.0", "GET http://x/ HTTP/1.0\r\nHost: x\r\n\r\n"),
            ("an absolute target without a Host", "GET http://x/ HTTP/1.1\r\n\r\n"),
            ("an absolute target with two", "GET http://x/ HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
        ]
}

extension TestClient.Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
