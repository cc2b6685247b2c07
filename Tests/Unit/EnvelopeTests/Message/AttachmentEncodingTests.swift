import TestSupport
import Testing

@testable import Envelope

struct AttachmentEncodingTests {
    private func message(_ pointers: [AttachmentPointer], body: String = "b") -> Message {
        var message = Message(body: body)
        message.attachments = pointers
        return message
    }

    private func refusal(_ message: Message, byteCountMax: Int = 2_690, overflow: Message.Overflow = .shorten)
        -> MessageError?
    {
        do {
            _ = try message.encoded(byteCountMax: byteCountMax, overflow: overflow)
            return nil
        } catch {
            return error
        }
    }

    @Test func `attachments are written as they are read`() throws {
        let message = message([
            try .sample(1, isThumbnail: true), try .sample(2, name: "Übersicht \"1\""), try .sample(3, byteCount: 0),
        ])
        let json = try message.encoded(byteCountMax: 2_690, overflow: .refuse).json
        #expect(try Message(sealedBody: json) == message)
        let first =
            #"{"body":"b","attachments":[{"id":"AQEBAQEBAQEBAQEBAQEBAQ","url":"https://blobs.example.com/v1/blobs/0","#
            + #""key":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE","size":20000,"stored":20568,"type":"image/jpeg","thumbnail":true},"#
        #expect(String(decoding: json, as: UTF8.self).hasPrefix(first))
    }

    @Test func `a text makes room for attachments, which stay whole`() throws {
        let pointers = try (1...4).map { try AttachmentPointer.sample($0) }
        let long = message(pointers, body: String(repeating: "ä", count: 3_000))
        let encoded = try long.encoded(byteCountMax: 2_690, overflow: .shorten)
        let read = try Message(sealedBody: encoded.json)
        #expect(encoded.isTruncated && (2_689...2_690).contains(encoded.json.count))
        #expect(read.attachments == pointers && read.body.allSatisfy { $0 == "ä" } && !read.body.isEmpty)
    }

    @Test func `four of the longest attachments fit an alert, with half a kilobyte of text`() throws {
        let url = "https://blobs.example.com/" + String(repeating: "a", count: 174)
        let pointers = try (1...4).map { number in
            try AttachmentPointer.sample(number, url: url, byteCount: 1 << 40, name: String(repeating: "n", count: 64))
        }
        let encoded = try message(pointers, body: String(repeating: "b", count: 500)).encoded(
            byteCountMax: 2_690,
            overflow: .refuse
        )
        #expect(!encoded.isTruncated)
    }

    @Test(arguments: [Message.Overflow.shorten, .refuse])
    func `attachments that do not fit beside the rest are named, with the room for them`(_ overflow: Message.Overflow)
        throws
    {
        let pointers = try (1...4).map { try AttachmentPointer.sample($0) }
        let long = message(pointers, body: String(repeating: "b", count: 100))
        let bare = Message(body: "b")
        let bareByteCount = try bare.encoded(byteCountMax: 600, overflow: .refuse).json.count
        let wholeByteCount = try message(pointers).encoded(byteCountMax: 2_690, overflow: .refuse).json.count
        #expect(
            refusal(long, byteCountMax: 600, overflow: overflow)
                == .noRoomForAttachments(byteCount: wholeByteCount - bareByteCount, roomByteCount: 600 - bareByteCount)
        )
        // A byte of room more or less decides.
        #expect(refusal(long, byteCountMax: wholeByteCount) == nil)
        #expect(refusal(long, byteCountMax: wholeByteCount - 1) != nil)
    }

    @Test func `what is too long without its attachments is too long`() throws {
        var long = message([try .sample()], body: "")
        long.title = String(repeating: "t", count: 3_000)
        let whole = try long.encoded(byteCountMax: 9_000, overflow: .refuse).json.count
        #expect(refusal(long) == .tooLong(excessByteCount: whole - 2_690))
    }

    @Test func `what a device would refuse is not sealed`() throws {
        let one = try AttachmentPointer.sample(1)
        let two = try AttachmentPointer.sample(2)
        let thumbnail = try AttachmentPointer.sample(3, isThumbnail: true)
        let otherThumbnail = try AttachmentPointer.sample(4, isThumbnail: true)
        let sameKey = try AttachmentPointer.sample(5, key: one.key)
        let five = try (1...5).map { try AttachmentPointer.sample($0) }
        for pointers in [
            [one, one], [one, sameKey], [thumbnail], [one, thumbnail], [thumbnail, otherThumbnail, two], five,
        ] {
            #expect(refusal(message(pointers)) == .invalid(member: "attachments"))
        }
        #expect(refusal(message([one, two, thumbnail, try .sample(6)])) == nil)
    }

    @Test func `attachments go with what is shown, and with nothing else`() throws {
        let id = MessageID(bytes: [UInt8](repeating: 0, count: 16))
        var message = message([try .sample()])
        message.badge = 1
        for operation in [Message.Operation.show, .replace(id)] {
            message.operation = operation
            #expect(refusal(message) == nil)
        }
        for operation in [Message.Operation.remove(id), .badge, .call("c"), .test] {
            message.operation = operation
            #expect(refusal(message) == .invalid(member: "attachments"))
        }
    }

    @Test(arguments: [RunSeed.here()])
    func `a pointer of which one byte is another one is read as what it says, or refused`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let json = try message([try .sample(1, name: "n", isThumbnail: true), try .sample(2)])
            .encoded(byteCountMax: 2_690, overflow: .refuse).json
        for _ in 0..<3_000 {
            var changed = json
            changed[Int.random(in: 0..<json.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            guard let read = try? Message(sealedBody: changed) else { continue }
            let written = try read.encoded(byteCountMax: 4_000, overflow: .refuse).json
            #expect(try Message(sealedBody: written) == read, "seed \(seed)")
            #expect(read.attachments.allSatisfy { AttachmentURL($0.url.text) == $0.url }, "seed \(seed)")
        }
    }
}
