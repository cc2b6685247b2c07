import Testing

@testable import Envelope

struct AttachmentDocumentTests {
    private func fault(_ text: String) -> MessageDocumentError? {
        do {
            _ = try MessageDocument.parseAttachment(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `reads an attachment's file as it was written`() throws {
        let pointer = try AttachmentPointer.sample(7, name: "n", isThumbnail: true)
        #expect(try MessageDocument.parseAttachment(pointer.json) == pointer)
    }

    @Test func `names the place and the member of a mistake`() throws {
        let json = String(decoding: try AttachmentPointer.sample().json, as: UTF8.self)
        let short = try #require(fault(json.replacing("20568", with: "20567")))
        #expect(
            short.line == 1 && short.reason == #""stored" of an attachment must be 20568, which follows from "size""#
        )
        let http = try #require(fault(json.replacing("https:", with: "http:")))
        #expect(http.reason == #""url" of an attachment must be an https URL of 200 bytes at most"#)
        let missing = try #require(fault("{\n}"))
        #expect(missing.line == 1 && missing.reason.hasPrefix(#""id" of an attachment must be"#))
    }

    @Test func `a member that does not exist is a typing mistake, in a file of its own and in a message`() throws {
        let json = String(decoding: try AttachmentPointer.sample().json, as: UTF8.self)
            .replacing(#""type""#, with: #""nmae":"n","type""#)
        #expect(fault(json)?.reason.hasPrefix("there is no such member here; an attachment has \"id\"") == true)
        #expect(throws: MessageDocumentError.self) {
            try MessageDocument.parse(Array(#"{"body":"b","attachments":[\#(json)]}"#.utf8))
        }
    }

    @Test(arguments: ["[]", "7", "null", "\"id\""])
    func `an attachment is an object`(_ text: String) {
        #expect(fault(text)?.reason == "an attachment is a JSON object in braces")
    }

    @Test func `no mistake repeats what stood there`() throws {
        let secret = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
        let json = String(decoding: try AttachmentPointer.sample().json, as: UTF8.self)
        for name in ["id", "url", "key", "type"] {
            let changed = json.replacing(try Regex(#""\#(name)":"[^"]*""#), with: #""\#(name)":"\#(secret)""#)
            #expect(try #require(fault(changed)).reason.contains(secret) == false)
        }
    }
}
