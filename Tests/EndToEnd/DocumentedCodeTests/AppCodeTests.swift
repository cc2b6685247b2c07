import ExtensionHarness
import Foundation
import Keys
import NotificationCore
import Opening
import Testing

@testable import ChatAppCode
@testable import NotificationServiceExtension

/// The code of docs/ios.md, by its public interface: run, sealed to, and its effect on the screen.
struct AppCodeTests {
    @Test func `after the launch in ios.md the extension shows what its back end sealed`() async throws {
        let stage = try ChatStage()
        let app = try await stage.launch().device
        #expect(try app.setupWarnings() == [])
        #expect(await stage.backEnd.published?.identity == app.identity.text)

        let device = Device(stage.conditions()) { NotificationService() }
        let shown = try await device.deliver(stage.backEnd.push("See you at eight").payload)
        #expect(shown.why == .answered)
        #expect(shown.title == "Ada")
        #expect(shown.body == "See you at eight")
        #expect(shown.original.title == "Acme Chat" && shown.original.body == "New message")
    }

    @Test func `a second launch registers the same bundle, and pins the same identity`() async throws {
        let stage = try ChatStage()
        let first = try await stage.launch().device.identity
        let bundle = await stage.backEnd.published?.bundle
        #expect(try await stage.launch().device.identity == first)
        #expect(await stage.backEnd.published?.bundle == bundle)
    }

    @Test func `what came before the first unlock is shown by the next launch`() async throws {
        let stage = try ChatStage()
        _ = try await stage.launch()
        let locked = Device(stage.conditions(.beforeFirstUnlock)) { NotificationService() }
        let shown = try await locked.deliver(stage.backEnd.push("while you slept").payload)
        #expect(shown.body == "Unlock to read a new message")
        #expect(try await stage.launch().shown == ["while you slept"])
        #expect(try await stage.launch().shown == [])
    }

    @Test func `a phone that was restarted twice shows what came before either unlock, once each`() async throws {
        let stage = try ChatStage()
        _ = try await stage.launch()
        var process = Device(process: .built("ChatExtensionHost"), stage.conditions(.beforeFirstUnlock))
        for text in ["first", "second"] {
            let shown = try await process.deliver(stage.backEnd.push(text).payload)
            #expect(shown.body == "Unlock to read a new message")
            process = Device(process: .built("ChatExtensionHost"), stage.conditions(.beforeFirstUnlock))
        }
        #expect(try await stage.launch().shown == ["first", "second"])
    }

    @Test func `of many pushes none ends the process for a lock, and it keeps none`() async throws {
        let stage = try ChatStage()
        _ = try await stage.launch()
        let conditions = stage.conditions().with { $0.process = .reused }
        let device = Device(process: .built("ChatExtensionHost"), conditions)
        for number in 1...20 {
            let shown = try await device.deliver(stage.backEnd.push("text \(number)").payload)
            #expect(shown.body == "text \(number)" && shown.ending == .returned)
        }
        #expect(device.lateLockCount == 0)
    }

    @Test func `an app whose files are Complete by default has its texts while the phone is locked`() async throws {
        let stage = try ChatStage()
        _ = try await stage.launch()
        let conditions = stage.conditions(.locked).with { $0.entitlements = .completeProtection }
        let device = Device(conditions) { NotificationService() }
        #expect(try await device.deliver(stage.backEnd.push("in the pocket").payload).body == "in the pocket")
        device.conditions.lock = .beforeFirstUnlock
        let kept = try await device.deliver(stage.backEnd.push("restarted").payload)
        #expect(kept.body == "Unlock to read a new message")
        #expect(try await stage.launch().shown == ["restarted"])
    }

    @Test func `after keys were lost the next launch registers a new bundle, and messages are shown`() async throws {
        let stage = try ChatStage()
        _ = try await stage.launch()
        let push = try await stage.backEnd.push("lost")
        let bundle = await stage.backEnd.published?.bundle
        try FileManager.default.removeItem(at: stage.container.appendingPathComponent("sealedpush-keys"))
        _ = try await stage.launch()
        #expect(await stage.backEnd.published?.bundle != bundle)

        let device = Device(stage.conditions()) { NotificationService() }
        #expect(try await device.deliver(push.payload).body == "You have a new message")
        #expect(try await device.deliver(stage.backEnd.push("lost no more").payload).body == "lost no more")
    }

    @Test func `without a contact the app is told so, and the extension's log says it once`() async throws {
        let stage = try ChatStage(hasFriend: false)
        let app = try await stage.launch().device
        #expect(try app.setupWarnings() == [.noContacts])

        let log = stage.folder.appendingPathComponent("log")
        var program = ExtensionProgram.built("ChatExtensionHost")
        program.environment = ["SEALEDPUSH_LOG": "error", "CHAT_EXTENSION_LOG": log.path]
        var conditions = stage.conditions()
        conditions.process = .reused
        let device = Device(process: program, conditions)
        for text in ["canary one", "canary two"] {
            let shown = try await device.deliver(stage.backEnd.push(text).payload)
            #expect(shown.title == "Acme Chat" && shown.body == "You have a new message")
        }
        let expected = "[SealedPush:setup] \(SetupWarning.noContacts)\n"
        #expect(try String(contentsOf: log, encoding: .utf8) == expected)
    }

    @Test func `a stranger's message is no fault of the setup while there is a contact`() async throws {
        let stage = try ChatStage()
        let app = try await stage.launch().device
        let stranger = try ChatStage()
        // The stranger knows this device's bundle.
        let published = try #require(await stage.backEnd.published)
        await stranger.backEnd.pin(published.bundle, identity: published.identity)
        let push = try await stranger.backEnd.push("hello").payload

        let pipeline = NotificationPipeline(containerPath: stage.container.path, display: ChatDevice.display)
        let userInfo = try #require(try JSONSerialization.jsonObject(with: Data(push)) as? [String: Any])
        #expect(pipeline.content(userInfo: userInfo).kind == .unverifiedSender)
        #expect(pipeline.content(userInfo: userInfo).setupWarning == nil)
        var nobody = try app.contacts()
        for contact in nobody.contacts { nobody.remove(contact.key) }
        try app.setContacts(nobody)
        #expect(pipeline.content(userInfo: userInfo).setupWarning == .noContacts)
    }

    @Test func `the extension and the app have one app group, one keychain group and one set of words`() {
        #expect(NotificationService.appGroup == ChatDevice.appGroup)
        #expect(NotificationService.keychainGroup == ChatDevice.sharedKeychainGroup)
        #expect(NotificationService.display == ChatDevice.display)
    }
}
