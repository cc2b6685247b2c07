import Foundation
import TestSupport
import Testing

@testable import Envelope

struct AttachmentURLTests {
    @Test func `host, port and path are parts of the text`() throws {
        let url = try #require(AttachmentURL("https://[2001:db8::1]:8443/a%2e/b?c=%2F"))
        #expect((url.host, url.port, url.path) == ("[2001:db8::1]", 8_443, "/a%2e/b"))
        let plain = try #require(AttachmentURL("https://blobs.example.com/"))
        #expect((plain.host, plain.port, plain.path) == ("blobs.example.com", 443, "/"))
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:,a", "ftp://a.example/b", "http://a.example/b", "https:///b", "https://a.example",
        "https://good@evil.example/", "https://good.example\\@evil.example/", "https://good.example\\.evil.example/",
        "https://аррӏе.example/", "https://a.example/\n", "https://a.example/%00", "https://a.example:0/",
    ])
    func `what is not plainly one host of one https server is refused (abuse case 57)`(_ text: String) {
        #expect(AttachmentURL(text) == nil)
    }

    @Test(arguments: [RunSeed.here()])
    func `Foundation, which fetches it, reads the host, port and path that we read (abuse case 57)`(seed: UInt64) throws
    {
        let pieces = [
            "a.example", "blobs.example.com", "localhost", "127.0.0.1", "[::1]", "127.1", "xn--a", "0x7f", "A", "é",
            "/", "/", "/", "//", "\\", ":", ":8443", ":443", ":0", "@", "?", "#", ".", "..", "%2e", "%2f", "%5C", "%00",
            "%41", "%", "a", "b;c=d", "&", "+", "~", " ", "\n", "[", "]", "'", "\"", "^",
        ]
        var random = SeededRandom(seed: seed)
        var readCount = 0
        for _ in 0..<20_000 {
            var text = "https://" + ["a.example", "localhost", "[::1]", ""].randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...6, using: &random) { text += pieces.randomElement(using: &random)! }
            guard let url = AttachmentURL(text) else { continue }
            readCount += 1
            let other = try #require(URL(string: text), "seed \(seed): \(text)")
            let host = other.host(percentEncoded: true)
            #expect(host == url.host || host.map { "[\($0)]" } == url.host, "seed \(seed): \(text)")
            #expect(other.port ?? 443 == Int(url.port), "seed \(seed): \(text)")
            #expect(other.path(percentEncoded: true) == url.path, "seed \(seed): \(text)")
            #expect(other.user == nil && other.fragment == nil && other.scheme == "https", "seed \(seed): \(text)")
        }
        #expect(readCount > 100, "seed \(seed)")
    }

    @Test(arguments: [RunSeed.here()])
    func `any other byte anywhere is refused, or stands where it is said to stand`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let texts = [
            "https://blobs.example.com:8443/v1/a%20b?c=d", "https://[2001:db8::1]:443/a/b", "https://127.0.0.1/a",
        ]
        for text in texts {
            let bytes = Array(text.utf8)
            for index in bytes.indices {
                var changed = bytes
                changed[index] = UInt8.random(in: 0...255, using: &random)
                guard let url = AttachmentURL(String(decoding: changed, as: UTF8.self)) else { continue }
                let port = url.text.contains(":\(url.port)/") ? ":\(url.port)" : ""
                #expect(url.text.hasPrefix("https://\(url.host)\(port)\(url.path)"), "seed \(seed): \(url.text)")
                #expect(url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "seed \(seed)")
            }
        }
    }
}
