import TestSupport
import Testing
import UserNotifications

@testable import ExtensionHarness

struct AttachmentRuleTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test(arguments: [
        ("public.png", png), ("public.jpeg", [0xFF, 0xD8, 0xFF, 0xE0]), ("com.compuserve.gif", Array("GIF89a".utf8)),
        ("public.aiff-audio", Array("FORM....AIFC".utf8)), ("com.microsoft.waveform-audio", Array("RIFF....WAVE".utf8)),
        ("public.mp3", Array("ID3".utf8)), ("public.mp3", [0xFF, 0xFB]),
        ("public.mpeg-4-audio", Array("....ftypM4A ".utf8)), ("public.mpeg", [0, 0, 1, 0xBA]),
        ("public.mpeg-2-video", [0, 0, 1, 0xB3]), ("public.mpeg-4", Array("....ftypisom".utf8)),
        ("public.avi", Array("RIFF....AVI ".utf8)),
    ])
    func `the first bytes of each type are known, and of no other`(_ type: String, _ header: [UInt8]) {
        #expect(AttachmentRule.problem(type: type, byteCount: 100, header: header) == nil)
        #expect(AttachmentRule.problem(type: type, byteCount: 100, header: Array("<html>".utf8)) == .corrupt)
        for count in 0..<min(header.count, 2) {
            let cut = Array(header.prefix(count))
            #expect(AttachmentRule.problem(type: type, byteCount: count, header: cut) == .corrupt)
        }
    }

    @Test(arguments: [
        ("public.png", 10_000_000, png), ("public.mp3", 5_000_000, Array("ID3".utf8)),
        ("public.avi", 50_000_000, Array("RIFF....AVI ".utf8)),
    ])
    func `each kind has its size`(_ type: String, _ byteCountMax: Int, _ header: [UInt8]) {
        #expect(AttachmentRule.problem(type: type, byteCount: byteCountMax, header: header) == nil)
        #expect(
            AttachmentRule.problem(type: type, byteCount: byteCountMax + 1, header: header)
                == .tooLarge(byteCount: byteCountMax + 1, byteCountMax: byteCountMax)
        )
    }

    @Test func `a type of no list is not recognized`() {
        #expect(AttachmentRule.problem(type: "public.svg-image", byteCount: 1, header: []) == .unrecognized)
    }

    @Test func `a file that is taken is moved into the store, and gone with the device`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png", Self.png)
        var device: Device? = Device(attaching: file)
        let shown = try #require(try await device?.deliver(mutablePush))
        let attachment = try #require(shown.attachments.first)
        #expect(shown.why == .answered && attachment.path != file.path)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(FileManager.default.contents(atPath: attachment.path) == Data(Self.png))
        device = nil
        #expect(!FileManager.default.fileExists(atPath: attachment.path))
    }

    @Test func `a file of the app's own is copied`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png", Self.png)
        let shown = try await Device(attaching: file, .init().with { $0.appBundle = folder.url }).deliver(mutablePush)
        #expect(shown.attachments.count == 1 && FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `an attachment that is not what it says leaves the original`() async throws {
        let folder = try TemporaryFolder()
        let shown = try await Device(attaching: try folder.makeFile("a.png", Array("<html>".utf8))).deliver(mutablePush)
        #expect(shown.why == .invalidAttachment(.corrupt) && shown.isOriginal && shown.title == "T")
        #expect(shown.description.contains("not of its type"))
    }

    @Test func `a file that went before the extension was done leaves the original`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png", Self.png)
        let device = Device {
            ScriptedExtension { _, handler in
                let answer = content(title: "new")
                answer.attachments = [file].compactMap { try? UNNotificationAttachment(identifier: "", url: $0) }
                try? FileManager.default.removeItem(at: file)
                handler(answer)
            }
        }
        #expect(try await device.deliver(mutablePush).why == .invalidAttachment(.missing))
    }

    @Test func `newer systems may show the answer without the attachment`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.makeFile("a.png", Array("<html>".utf8))
        let conditions = Device.Conditions().with { $0.invalidAttachment = .discardsAttachment }
        let shown = try await Device(attaching: file, conditions).deliver(mutablePush)
        #expect(shown.why == .answered && shown.title == "new" && shown.attachments.isEmpty)
    }
}

extension Device {
    fileprivate convenience init(attaching file: URL, _ conditions: Conditions = Conditions()) {
        self.init(conditions) {
            ScriptedExtension { _, handler in
                let answer = content(title: "new")
                do {
                    answer.attachments = [try UNNotificationAttachment(identifier: "", url: file)]
                } catch {
                    Issue.record(error)
                }
                handler(answer)
            }
        }
    }
}

extension TemporaryFolder {
    fileprivate var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    fileprivate func makeFile(_ name: String, _ bytes: [UInt8]) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file
    }
}
