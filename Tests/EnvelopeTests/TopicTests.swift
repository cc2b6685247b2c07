import Testing

@testable import Envelope

struct TopicTests {
    @Test(arguments: ["a", "com.acme.chat", "com.Acme-2.Chat", "0", String(repeating: "a", count: 155)])
    func `takes a bundle id as it is`(_ text: String) throws {
        let topic = try Topic(text)
        #expect(topic.bytes == Array(text.utf8))
        #expect(topic.bundleID == text)
    }

    @Test(arguments: [0, 156, 255, 256, 100_000])
    func `refuses an empty topic and one beyond 155 bytes`(_ count: Int) {
        #expect(throws: TopicError.wrongLength(byteCount: count, byteCountMax: 155)) {
            try Topic(String(repeating: "a", count: count))
        }
    }

    @Test(arguments: [
        " ", "com.acme.chat ", "com acme", "com.acme\n", "com_acme", "com/acme", "com.acme.chät", "com.acme.\u{0}",
        "ａ.b",
        "com:acme", "com@acme", "com[acme", "com`acme", "com{acme", "com,acme",
    ])
    func `refuses a character that no bundle id has`(_ text: String) {
        #expect(throws: TopicError.notABundleID) { try Topic(text) }
    }

    @Test func `refuses bytes that are not even text`() {
        #expect(throws: TopicError.notABundleID) { try Topic(bytes: [0x61, 0xFF]) }
    }

    @Test func `upper and lower case are two topics, and so is a suffix`() throws {
        #expect(try Topic("com.acme.chat") != Topic("com.acme.Chat"))
        #expect(try Topic("com.acme.chat") != Topic("com.acme.chat.voip"))
    }
}
