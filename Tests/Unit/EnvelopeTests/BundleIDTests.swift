import Testing

@testable import Envelope

struct BundleIDTests {
    @Test(arguments: ["a", "com.acme.chat", "com.Acme-2.Chat", "0", String(repeating: "a", count: 155)])
    func `takes a bundle id as it is`(_ text: String) throws {
        let topic = try BundleID(text)
        #expect(topic.bytes == Array(text.utf8))
        #expect(topic.text == text)
    }

    @Test(arguments: [0, 156, 255, 256, 100_000])
    func `refuses an empty topic and one beyond 155 bytes`(_ count: Int) {
        #expect(throws: BundleIDError.wrongLength(byteCount: count, byteCountMax: 155)) {
            try BundleID(String(repeating: "a", count: count))
        }
    }

    @Test(arguments: [
        " ", "com.acme.chat ", "com acme", "com.acme\n", "com_acme", "com/acme", "com.acme.chät", "com.acme.\u{0}",
        "ａ.b",
        "com:acme", "com@acme", "com[acme", "com`acme", "com{acme", "com,acme",
    ])
    func `refuses a character that no bundle id has`(_ text: String) {
        #expect(throws: BundleIDError.notABundleID) { try BundleID(text) }
    }

    @Test func `refuses bytes that are not even text`() {
        #expect(throws: BundleIDError.notABundleID) { try BundleID(bytes: [0x61, 0xFF]) }
    }

    @Test func `upper and lower case are two topics, and so is a suffix`() throws {
        #expect(try BundleID("com.acme.chat") != BundleID("com.acme.Chat"))
        #expect(try BundleID("com.acme.chat") != BundleID("com.acme.chat.voip"))
    }
}
