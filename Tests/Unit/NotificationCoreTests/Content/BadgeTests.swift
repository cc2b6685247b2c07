import Envelope
import Foundation
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// The number on the app's icon (protocol v1, rule 29).
struct BadgeTests {
    private func badge(_ operation: Message.Operation, _ badge: Int?) -> Message {
        var message = Message(body: "x")
        message.operation = operation
        message.badge = badge
        return message
    }

    @Test func `before the app has said a number, none is set`() throws {
        let handset = try Handset(seed: 420)
        let device = try handset.launch()
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == nil)
        #expect(try device.badge() == nil)
    }

    @Test func `each message that is shown raises it, and the app sets it back`() throws {
        let handset = try Handset(seed: 421)
        let device = try handset.launch()
        try device.setBadge(3)
        for number in [4, 5] {
            #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == number)
        }
        try device.setBadge(0)
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == 1)
        #expect(try device.badge() == 1)
    }

    @Test func `a message that is claimed again, or shown again, counts once (protocol v1, rule 26)`() throws {
        let handset = try Handset(seed: 422)
        let device = try handset.launch()
        try device.setBadge(0)
        let push = try handset.push(Message(body: "x"), to: device)
        #expect(handset.content(push).badge == 1)
        handset.pass(.seconds(36))
        #expect(handset.show(push).badge == 1)
        #expect(handset.show(push).badge == nil)
        #expect(try device.badge() == 1)
    }

    @Test func `what is no new message counts nothing`() throws {
        let handset = try Handset(seed: 423)
        let device = try handset.launch(rights: [.call])
        try device.setBadge(5)
        let id = MessageID(bytes: [UInt8](repeating: 1, count: 16))
        for operation in [Message.Operation.replace(id), .remove(id), .call("c"), .test, .badge] {
            let message = badge(operation, operation == .badge ? 1 : nil)
            let prepared = try handset.preparedAsAlert(message, lifetime: .seconds(60))
            #expect(handset.show(try handset.push(prepared, to: handset.recipient(device))).badge == nil)
        }
        #expect(handset.show(["sealed": "x"]).badge == nil)
        #expect(try device.badge() == 5)
    }

    @Test func `a service's number is the number, and the next message goes on from it (protocol v1, rule 29)`() throws
    {
        let handset = try Handset(seed: 424)
        let device = try handset.launch(role: .service)
        try device.setBadge(1)
        #expect(handset.show(try handset.push(badge(.show, 40), to: device)).badge == 40)
        handset.pass(.seconds(1))
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == 41)
        handset.pass(.seconds(1))
        let content = handset.show(try handset.push(badge(.badge, 7), to: device))
        #expect(content.badge == 7)
        #expect(content.body == Handset.texts.neutral && content.sound == nil)
        #expect(try device.badge() == 7)
    }

    @Test func `a person's number is nobody's (protocol v1, rule 29)`() throws {
        let handset = try Handset(seed: 425)
        let device = try handset.launch()
        try device.setBadge(1)
        #expect(handset.show(try handset.push(badge(.show, 40), to: device)).badge == 2)
    }

    @Test func `an app may count for itself`() throws {
        let handset = try Handset(seed: 426)
        let device = try handset.launch(role: .service)
        try device.setBadge(1)
        handset.display.countsMessages = false
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == nil)
        #expect(handset.show(try handset.push(badge(.show, 9), to: device)).badge == 9)
        #expect(try device.badge() == 9)
    }

    @Test(arguments: [
        [], [0x53], Array("SPB1".utf8) + [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0, count: 12),
    ])
    func `a damaged number is none until the app says it again`(_ bytes: [UInt8]) throws {
        let handset = try Handset(seed: 427)
        let device = try handset.launch()
        try WholeFile.write(bytes, to: handset.folder.path("group/sealedpush.badge"), access: .ownerOnly)
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == nil)
        #expect(try device.badge() == nil)
        try device.setBadge(20_000)
        #expect(try device.badge() == 9_999)
        #expect(handset.show(try handset.push(Message(body: "x"), to: device)).badge == 9_999)
    }

    @Test func `a count has one spelling`() {
        for count in [0, 1, 255, 256, 9_999] { #expect(BadgeCount.count(bytes: BadgeCount.bytes(of: count)) == count) }
        #expect(BadgeCount.count(bytes: BadgeCount.bytes(of: 1) + [0]) == nil)
        for index in 0..<12 {
            var bytes = BadgeCount.bytes(of: 300)
            bytes[index] ^= 1
            #expect(BadgeCount.count(bytes: bytes) == nil)
        }
    }

    @Test func `eight threads with files of their own count every message`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("badge")
        try BadgeCount(path: path).set(0, ifMissing: .create)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let badge = BadgeCount(path: path)
                    // A failure would leave the sum too low.
                    for _ in 0..<200 { _ = try? badge.increment() }
                }
            }
        }
        #expect(try BadgeCount(path: path).count() == 1_600)
    }

    @Test func `storage that cannot be written costs the number and nothing else`() throws {
        let handset = try Handset(seed: 428)
        let device = try handset.launch()
        try device.setBadge(2)
        let push = try handset.push(Message(body: "x"), to: device)
        try FileManager.default.removeItem(atPath: handset.folder.path("group/sealedpush.badge"))
        try FileManager.default.createDirectory(
            atPath: handset.folder.path("group/sealedpush.badge"),
            withIntermediateDirectories: false
        )
        let content = handset.show(push)
        #expect(content.body == "x" && content.badge == nil)
    }

    @Test func `a device that is erased forgets the number, the pictures and what is on the screen`() throws {
        let handset = try Handset(seed: 429)
        let device = try handset.launch(name: "Ada")
        try device.setBadge(2)
        try device.setAvatar([1], of: handset.sender.publicKey)
        try device.setGroup("Compilers", picture: [1], threadID: "t")
        try device.setPreview(.nothing)
        try device.setMuted([MutedThread(threadID: "t")])
        handset.show(try handset.push(Message(body: "x"), to: device), requestID: "request")
        let group = handset.folder.path("group/")
        let files = ["sealedpush.badge", "sealedpush.muted", "sealedpush.preview", "sealedpush.requests"].map {
            group + $0
        }
        let pictures = group + "sealedpush-avatars"
        let groups = group + "sealedpush-groups"
        #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(try PrivateFolder.names(pictures, countMax: 10).count == 1)
        #expect(try PrivateFolder.names(groups, countMax: 10).count == 2)
        try AppDevice.erase(handset.settings)
        #expect(files.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        #expect(try PrivateFolder.names(pictures, countMax: 10).isEmpty)
        #expect(try PrivateFolder.names(groups, countMax: 10).isEmpty)
    }
}
