import ExtensionHarness
import Foundation
import NotificationCore
import Testing

@testable import NotificationServiceExtension

/// "Test your own code" of README.md, and what the extension shows with an entitlement.
struct HarnessCodeTests {
    @Test func `a push is answered ten seconds after its begin, or before`() async throws {
        let device = Device { NotificationService() }
        device.conditions.expiry = .early(by: .seconds(20))
        let shown = try await device.deliver(#"{"aps":{"alert":"Hello","mutable-content":1}}"#)
        #expect(shown.why == .answered)
    }

    @Test(arguments: [Device.Entitlements.communication, []])
    func `a group's message names sender and group where the app may, and its donation has no text`(
        _ entitlements: Device.Entitlements
    ) async throws {
        let stage = try ChatStage()
        let app = try await stage.launch().device
        try app.setGroup("Compilers", picture: [0x89, 0x50], threadID: "t")
        let device = Device(stage.conditions().with { $0.entitlements = entitlements }) { NotificationService() }
        let shown = await device.deliver(
            try await SimulatedPush(payload: stage.backEnd.push("It runs", threadID: "t").payload)
        )
        #expect(shown.why == .answered && shown.body == "It runs", "\(shown)")
        let donation = try #require(device.donations.first)
        #expect(donation.text == nil && donation.groupName == "Compilers" && !donation.mentionsCurrentUser)
        #expect(shown.communication == (entitlements.isEmpty ? nil : donation))
        #expect(donation.senderName == "Ada Lovelace" && donation.conversationIdentifier == "t")
        guard case .file(let path) = donation.groupPicture else {
            Issue.record("\(donation)")
            return
        }
        #expect(FileManager.default.contents(atPath: path) == Data([0x89, 0x50]))
    }
}
