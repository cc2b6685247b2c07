import Testing

@testable import Networking

@Suite struct ProxyURLTests {
    @Test(
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128"), ("HTTP://p:1/", "http://p:1"),
            ("socks5://127.0.0.1:1080", "socks5://127.0.0.1:1080"), ("socks5h://[::1]:65535", "socks5://[::1]:65535"),
            ("http://user:pa%3Ass@p:80", "http://p:80"),
        ]
    )
    func `a URL is read, and told without its credentials`(_ url: String, _ description: String) throws {
        #expect(try Proxy(url: url).description == description)
    }

    @Test func `credentials are decoded`() throws {
        let credentials = try #require(Proxy(url: "http://us%65r:p%40s:s!@p:80").credentials)
        #expect(credentials.userByteCount == 4)
        #expect(credentials.withBytes { Array(copying: $0) } == Array("userp@s:s!".utf8))
    }

    @Test(
        arguments: [
            ("", ProxyError.urlInvalid(.scheme)), ("proxy:80", .urlInvalid(.scheme)),
            ("https://p:443", .urlInvalid(.scheme)), ("socks4://p:1080", .urlInvalid(.scheme)),
            ("http:/p:80", .urlInvalid(.scheme)), ("http://p", .urlInvalid(.port)), ("http://p:", .urlInvalid(.port)),
            ("http://p:0", .urlInvalid(.port)), ("http://p:080", .urlInvalid(.port)),
            ("http://p:65536", .urlInvalid(.port)), ("http://p:+80", .urlInvalid(.port)),
            ("http://[::1]", .urlInvalid(.port)), ("http://:80", .urlInvalid(.host)),
            ("http://::1:80", .urlInvalid(.host)), ("http://[127.0.0.1]:80", .urlInvalid(.host)),
            ("http://[::1:80", .urlInvalid(.host)), ("http://p q:80", .urlInvalid(.host)),
            ("http://p%2e:80", .urlInvalid(.host)), ("http://p\r\n:80", .urlInvalid(.host)),
            ("http://p:80/x", .urlInvalid(.path)), ("http://p:80?x", .urlInvalid(.path)),
            ("http://p:80//", .urlInvalid(.path)), ("http://u@v@p:80", .urlInvalid(.userInfo)),
            ("http://u:%4@p:80", .urlInvalid(.userInfo)), ("http://u:%zz@p:80", .urlInvalid(.userInfo)),
            ("http://u v@p:80", .urlInvalid(.userInfo)), ("http://@p:80", .credentialsInvalid),
            ("http://:x@p:80", .credentialsInvalid), ("http://u%3Av:x@p:80", .credentialsInvalid),
            ("http://u:%0D@p:80", .credentialsInvalid), ("socks5://u@p:80", .credentialsInvalid),
        ]
    )
    func `anything else is refused with the part that is wrong`(_ url: String, _ error: ProxyError) {
        #expect(throws: error) { try Proxy(url: url) }
    }

    @Test func `what is too long for one byte is refused`() {
        let long = [UInt8](repeating: 97, count: 256)
        #expect(throws: ProxyError.credentialsInvalid) { try ProxyCredentials(user: long, password: [97]) }
        #expect(throws: ProxyError.credentialsInvalid) { try ProxyCredentials(user: [97], password: long) }
    }

    @Test func `no way to print a proxy prints its credentials`() throws {
        let proxy = try Proxy(url: "http://mallory:swordfish@p:80")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), dumped, "\(proxy.credentials as Any)"] {
            #expect(!text.contains("swordfish"))
            #expect(!text.contains("mallory"))
        }
    }
}
