import Testing
import UserNotifications

struct AttachmentTests {
    @Test(arguments: [
        ("a.jpg", "public.jpeg"), ("a.JPEG", "public.jpeg"), ("a.png", "public.png"), ("a.gif", "com.compuserve.gif"),
        ("a.mp3", "public.mp3"), ("a.m4a", "public.mpeg-4-audio"), ("a.wav", "com.microsoft.waveform-audio"),
        ("a.mp4", "public.mpeg-4"), ("a.avi", "public.avi"), ("a.mpeg", "public.mpeg"),
    ])
    func `the type follows from the file's extension`(_ name: String, _ type: String) throws {
        let folder = try TemporaryFolder()
        let attachment = try UNNotificationAttachment(identifier: "a", url: folder.makeFile(name))
        #expect(attachment.type == type && attachment.identifier == "a")
        #expect(attachment.url.lastPathComponent == name)
    }

    @Test func `a type hint tells what the extension does not`() throws {
        let folder = try TemporaryFolder()
        let options = [UNNotificationAttachmentOptionsTypeHintKey: "public.png"]
        let attachment = try UNNotificationAttachment(identifier: "a", url: folder.makeFile("a.tmp"), options: options)
        #expect(attachment.type == "public.png")
    }

    @Test func `an empty identifier becomes a unique one`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png")
        let first = try UNNotificationAttachment(identifier: "", url: file)
        let second = try UNNotificationAttachment(identifier: "", url: file)
        #expect(!first.identifier.isEmpty && first.identifier != second.identifier)
    }

    @Test(arguments: ["a.txt", "a.tmp", "a", "a.svg"])
    func `a file of another type is refused`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile(name)
        #expect(throws: UNError(.attachmentUnrecognizedType)) {
            try UNNotificationAttachment(identifier: "a", url: file)
        }
    }

    @Test func `a hint at another type is refused`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png")
        let options = [UNNotificationAttachmentOptionsTypeHintKey: "public.plain-text"]
        #expect(throws: UNError(.attachmentUnrecognizedType)) {
            try UNNotificationAttachment(identifier: "a", url: file, options: options)
        }
    }

    @Test func `a file that is not there is refused`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: UNError(.attachmentInvalidURL)) {
            try UNNotificationAttachment(identifier: "a", url: folder.url.appendingPathComponent("missing.png"))
        }
    }

    @Test func `a folder is refused`() throws {
        let folder = try TemporaryFolder(suffix: ".png")
        #expect(throws: UNError(.attachmentInvalidURL)) {
            try UNNotificationAttachment(identifier: "a", url: folder.url)
        }
    }

    @Test func `a URL that is not a file's is refused`() throws {
        let url = try #require(URL(string: "https://example.com/a.png"))
        #expect(throws: UNError(.attachmentInvalidURL)) { try UNNotificationAttachment(identifier: "a", url: url) }
    }

    @Test func `an error is caught by its code, in Apple's domain`() {
        do {
            throw UNError(.attachmentCorrupt)
        } catch UNError.attachmentInvalidURL {
            Issue.record("another code matched")
        } catch UNError.attachmentCorrupt {
            #expect(UNError.errorDomain == "UNErrorDomain" && UNError(.attachmentCorrupt).errorCode == 105)
        } catch {
            Issue.record("no code matched")
        }
    }
}
