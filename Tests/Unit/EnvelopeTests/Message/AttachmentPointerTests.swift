import TestSupport
import Testing

@testable import Envelope

struct AttachmentPointerTests {
    @Test func `what is stored follows from the length`() throws {
        // From the formula of docs/protocol.md, worked out in Python.
        let expected: [(UInt64, UInt64)] = [
            (0, 72), (1, 73), (2, 74), (9, 82), (1_000, 1_096), (16_383, 16_472), (16_384, 16_472), (16_385, 17_496),
            (20_000, 20_568), (1_000_000, 1_016_872), (10_000_000, 10_233_672), (1 << 40, 1_100_585_369_672),
        ]
        for (byteCount, stored) in expected {
            #expect(AttachmentLength.stored(byteCount) == stored)
            #expect(try AttachmentPointer.sample(byteCount: byteCount).storedByteCount == stored)
        }
    }

    @Test func `the file's encryption is bound to the protocol and to the attachment's id`() throws {
        let pointer = try AttachmentPointer.sample()
        let expected = [23] + Array("SealedPush/1 attachment".utf8) + pointer.id.rawRepresentation
        #expect(pointer.context == expected && pointer.context.count == 40)
    }

    @Test func `no description shows the key`() throws {
        let key = try #require(AttachmentKey(rawRepresentation: Array(100..<132)))
        let pointer = try AttachmentPointer.sample(key: key)
        #expect("\(key)" == "AttachmentKey")
        var dumped = ""
        dump(pointer, to: &dumped)
        for text in ["\(pointer)", String(reflecting: pointer), dumped] {
            #expect(!text.contains(key.text) && !text.contains("100, 101"))
        }
    }

    @Test func `a key lends its bytes, and is of 32 only`() throws {
        let key = try #require(AttachmentKey(rawRepresentation: Array(0..<32)))
        #expect(key.withBytes { $0 } == Array(0..<32))
        #expect(AttachmentKey(rawRepresentation: Array(0..<31)) == nil)
        #expect(AttachmentKey(rawRepresentation: Array(0..<33)) == nil)
        #expect(AttachmentKey(text: key.text) == key)
    }

    @Test func `an id is of 16 bytes only, and has one text`() throws {
        let id = try #require(AttachmentID(rawRepresentation: Array(0..<16)))
        #expect(id.text == "AAECAwQFBgcICQoLDA0ODw" && AttachmentID(text: id.text) == id)
        #expect(AttachmentID(rawRepresentation: Array(0..<15)) == nil)
        #expect(AttachmentID(rawRepresentation: Array(0..<17)) == nil)
        #expect(AttachmentID(text: "AAECAwQFBgcICQoLDA0ODx") == nil)
    }

    @Test func `a file longer than 2^40 bytes is refused`() throws {
        #expect(throws: Never.self) { try AttachmentPointer.sample(byteCount: 1 << 40) }
        #expect(throws: AttachmentPointerError.tooLong(byteCountMax: 1 << 40)) {
            try AttachmentPointer.sample(byteCount: 1 << 40 + 1)
        }
    }

    @Test(arguments: ["", String(repeating: "é", count: 33), "a\u{0}.png"])
    func `a name of no bytes, of more than 64 or with a NUL is refused`(_ name: String) {
        #expect(throws: AttachmentPointerError.name(byteCountMax: 64)) { try AttachmentPointer.sample(name: name) }
    }

    @Test(arguments: ["", "image", "image/", "/png", "a/b/c", "image/PNG", "image/png; q=1", "image/*", "é/b", "+a/b"])
    func `a media type is two names in lower case`(_ text: String) { #expect(MediaType(text) == nil) }

    @Test(arguments: [
        "image/jpeg", "application/vnd.a.b+json", "0/0!#$&-^_.+", "x/" + String(repeating: "y", count: 62),
    ])
    func `a media type keeps its text`(_ text: String) { #expect(MediaType(text)?.text == text) }
}

extension AttachmentPointer {
    static func sample(
        _ number: UInt8 = 0,
        url: String = "https://blobs.example.com/v1/blobs/0",
        key: AttachmentKey? = nil,
        byteCount: UInt64 = 20_000,
        name: String? = nil,
        isThumbnail: Bool = false
    ) throws -> AttachmentPointer {
        try AttachmentPointer(
            id: #require(AttachmentID(rawRepresentation: [UInt8](repeating: number, count: 16))),
            url: #require(AttachmentURL(url)),
            key: key ?? #require(AttachmentKey(rawRepresentation: [UInt8](repeating: number, count: 32))),
            byteCount: byteCount,
            type: #require(MediaType("image/jpeg")),
            name: name,
            isThumbnail: isThumbnail
        )
    }
}
