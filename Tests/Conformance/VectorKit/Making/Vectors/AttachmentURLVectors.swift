/// URLs of attachments: those that every reader reads alike, and those that some read as another host or path.
enum AttachmentURLVectors {
    static func make() -> [Vector] {
        valid.map { name, title, text, host, port, path in
            var vector = vector(name, title, text)
            vector.add("expect", "valid")
            vector.add("host", host)
            vector.add("port", "\(port)")
            vector.add("path", path)
            return vector
        }
            + refused.map { name, title, text in
                var vector = vector(name, title, text)
                vector.add("expect", "refused")
                return vector
            }
    }

    private static func vector(_ name: String, _ title: String, _ text: String) -> Vector {
        var vector = Vector(
            name: "attachment-url-\(name)",
            title: title,
            kind: "attachment-url",
            cases: [57],
            rules: [41]
        )
        vector.input = Array(text.utf8)
        return vector
    }

    private static let host = "blobs.example.com"
    private static let base = "https://blobs.example.com/"

    private static let valid: [(String, String, String, String, Int, String)] = [
        ("plain", "a host and a path", base + "v1/blobs/AAECAw", host, 443, "/v1/blobs/AAECAw"),
        ("root", "the shortest path", base, host, 443, "/"),
        ("port", "a port", "https://blobs.example.com:8443/a", host, 8_443, "/a"),
        ("port-max", "the greatest port", "https://blobs.example.com:65535/a", host, 65_535, "/a"),
        ("query", "a query is no part of the path", base + "a?X=1%2F2&y=/?", host, 443, "/a"),
        ("percent", "percent-encoding stays as it is", base + "a%20%C3%a9%25", host, 443, "/a%20%C3%a9%25"),
        ("characters", "all other characters", base + "aZ09-._~!$&()*+,;=:@//", host, 443, "/aZ09-._~!$&()*+,;=:@//"),
        ("localhost", "this machine", "https://localhost:1/a", "localhost", 1, "/a"),
        ("ipv4", "an IPv4 address", "https://127.0.0.1/a", "127.0.0.1", 443, "/a"),
        ("ipv6", "an IPv6 address", "https://[2001:db8::1]:8443/a", "[2001:db8::1]", 8_443, "/a"),
        ("ipv6-long", "an IPv6 address without a gap", "https://[1:2:3:4:5:6:7:8]/a", "[1:2:3:4:5:6:7:8]", 443, "/a"),
        (
            "xn", "a name of another script, in ASCII", "https://xn--bcher-kva.example/a", "xn--bcher-kva.example", 443,
            "/a"
        ),
        (
            "label-63", "a label of 63 characters", "https://\(String(repeating: "a", count: 63)).example/a",
            "\(String(repeating: "a", count: 63)).example", 443, "/a"
        ),
        (
            "200", "200 bytes", base + String(repeating: "a", count: 174), host, 443,
            "/" + String(repeating: "a", count: 174)
        ),
    ]

    private static let refused: [(String, String, String)] = [
        ("empty", "nothing", ""), ("201", "201 bytes", base + String(repeating: "a", count: 175)),
        ("file", "a file", "file:///etc/passwd"), ("file-host", "a file of a host", "file://blobs.example.com/a"),
        ("data", "data in the URL", "data:image/png,a"), ("ftp", "FTP", "ftp://blobs.example.com/a"),
        ("http", "no TLS", "http://blobs.example.com/a"),
        ("scheme-case", "a scheme in upper case", "HTTPS" + base.dropFirst(5)),
        ("no-scheme", "no scheme", "//blobs.example.com/a"), ("one-slash", "one slash", "https:/blobs.example.com/a"),
        ("no-host", "no host", "https:///a"), ("no-path", "no path", "https://blobs.example.com"),
        ("no-path-query", "a query without a path", "https://blobs.example.com?a"),
        ("user", "a user", "https://blobs.example.com@evil.example/a"),
        ("user-empty", "an empty user", "https://@blobs.example.com/a"),
        ("password", "a user with a password", "https://u:p@blobs.example.com/a"),
        ("backslash-user", "a backslash before an at sign", #"https://blobs.example.com\@evil.example/a"#),
        ("backslash-host", "a backslash in the place of a slash", #"https://blobs.example.com\a/b"#),
        ("backslash-path", "a backslash in the path", base + #"a\b"#),
        ("homograph", "a host in another script", "https://аррӏе.example/a"),
        ("host-case", "a host in upper case", "https://Blobs.example.com/a"),
        ("host-percent", "a host in percent-encoding", "https://%62lobs.example.com/a"),
        ("host-underscore", "an underscore in a host", "https://blobs_1.example.com/a"),
        ("host-one-label", "a host of one label", "https://blobs/a"),
        ("host-dot", "a dot behind the host", "https://blobs.example.com./a"),
        ("host-empty-label", "two dots in the host", "https://blobs..example.com/a"),
        ("host-hyphen", "a label that ends with a hyphen", "https://blobs-.example.com/a"),
        ("label-64", "a label of 64 characters", "https://\(String(repeating: "a", count: 64)).example/a"),
        ("newline", "an end of line", base + "a\nb"),
        ("newline-host", "an end of line in the host", "https://blobs.example.com\n/a"),
        ("newline-end", "an end of line at the end", base + "a\n"), ("space", "a space", base + "a b"),
        ("space-before", "a space before", " " + base), ("tab", "a tabulator", base + "a\tb"),
        ("nul", "a NUL", base + "a\u{0}"),
        ("percent-nul", "a NUL in percent-encoding", base + "a%00"),
        ("percent-nul-query", "a NUL in percent-encoding in the query", base + "a?%00"),
        ("percent-slash", "a slash in percent-encoding", base + "a%2fb"),
        ("percent-backslash", "a backslash in percent-encoding", base + "a%5Cb"),
        ("percent-short", "percent-encoding that does not end", base + "a%2"),
        ("percent-letters", "percent-encoding without digits", base + "a%zz"),
        ("dot", "a segment of one dot", base + "./a"), ("dots", "a segment of two dots", base + "a/../b"),
        ("dots-end", "two dots at the end", base + "a/.."),
        ("dots-percent", "two dots in percent-encoding", base + "%2e%2E/a"),
        ("dots-half", "two dots, one in percent-encoding", base + ".%2e/a"),
        ("fragment", "a fragment", base + "a#b"), ("port-0", "port 0", "https://blobs.example.com:0/a"),
        ("port-65536", "a port that is none", "https://blobs.example.com:65536/a"),
        ("port-empty", "a colon without a port", "https://blobs.example.com:/a"),
        ("port-leading-0", "a port with a zero before it", "https://blobs.example.com:0443/a"),
        ("port-sign", "a port with a sign", "https://blobs.example.com:+443/a"),
        ("ipv4-short", "an IPv4 address of two numbers", "https://127.1/a"),
        ("ipv4-number", "an IPv4 address as one number", "https://2130706433/a"),
        ("ipv4-hexadecimal", "an IPv4 address in hexadecimal", "https://0x7f.0.0.1/a"),
        ("ipv4-hexadecimal-end", "a name that ends like a number", "https://blobs.example.0x1/a"),
        ("ipv4-octal", "an IPv4 address in octal", "https://0177.0.0.1/a"),
        ("ipv4-256", "an IPv4 address that is none", "https://127.0.0.256/a"),
        ("ipv6-ipv4", "an IPv4 address in an IPv6 address", "https://[::ffff:127.0.0.1]/a"),
        ("ipv6-zone", "an IPv6 address with a zone", "https://[fe80::1%25lo]/a"),
        ("ipv6-case", "an IPv6 address in upper case", "https://[2001:DB8::1]/a"),
        ("ipv6-short", "an IPv6 address of seven groups", "https://[1:2:3:4:5:6:7]/a"),
        ("ipv6-two-gaps", "an IPv6 address with two gaps", "https://[1::2::3]/a"),
        ("ipv6-nine", "an IPv6 address of eight groups and a gap", "https://[1:2:3:4:5:6:7::8]/a"),
        ("ipv6-open", "an IPv6 address without its bracket", "https://[::1/a"),
        ("quote", "a quote", base + "a'"), ("double-quote", "a double quote", base + "a\""),
        ("angle", "an angle bracket", base + "a<b>"), ("circumflex", "a character that some encode", base + "a^"),
        ("not-ascii", "a path that is not ASCII", base + "é"),
    ]
}
