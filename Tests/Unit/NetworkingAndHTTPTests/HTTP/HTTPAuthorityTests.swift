import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPAuthorityTests {
    @Test(arguments: [
        "a", "push.example.com", "push.example.com:8443", "192.0.2.1", "192.0.2.1:1", "[::1]", "[2001:db8::1]:8443",
        "[::ffff:192.0.2.1]", "[v1.a:b]", "a:", "a:99999", "A-b_c~d.e!$&'()*+,;=", "%41b", "xn--bcher-kva.example",
    ])
    func `a host is one, alone or with its port`(_ text: String) {
        #expect(HTTPAuthority.isValid(Array(text.utf8)[...]))
    }

    @Test(arguments: [
        "", ":", ":80", "a b", " a", "a ", "a:b", "a:80a", "a:80:90", "a:-1", "user@a", "a/b", "a?b", "a#b", "a\\b",
        "a\"b",
        "a<b>", "[", "[]", "[::1", "::1", "[::1]8443", "[::1]:x", "[::1%25eth0]", "[192.0.2.1]", "[g::1]", "[v.a]",
        "[v1.]",
        "[vx.a]", "a%", "a%4", "a%4g", "a]", "[[::1]]", "a\u{0}", "a\u{7f}", "b\u{fc}cher.example", "a|b", "a^b", "a`b",
        "a{b}",
    ])
    func `anything else is none`(_ text: String) {
        #expect(!HTTPAuthority.isValid(Array(text.utf8)[...]))
    }

    @Test func `any bytes are judged`() {
        var random = SeededRandom(seed: RunSeed.here())
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Array("[]:%.a1v@ ".utf8).randomElement(using: &random) ?? 0
            }
            // A slice that does not begin at 0 gives the same result.
            let slice = ([0, 0] + bytes)[2...]
            #expect(HTTPAuthority.isValid(bytes[...]) == HTTPAuthority.isValid(slice))
        }
    }
}
