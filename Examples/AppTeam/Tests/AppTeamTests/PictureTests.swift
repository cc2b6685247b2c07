import ExtensionHarness
import Foundation
import PhotoServer
import Testing

@testable import PhotoExtension

/// Pictures of the lock screen for a test report: swift test --attachments-path pictures
@Suite struct PictureTests {
  let device = Device { NotificationService() }

  init() { PhotoServer.start }

  @Test func `the photo is on the lock screen`() async throws {
    let shown = try await device.deliver(PhotoTests.push(photo: "prompt/cat.png"))
    let picture = LockScreenPicture(of: shown, appName: "Holiday")
    Attachment.record(picture.svg, named: "photo.svg")

    #expect(picture.svg.contains("data:image/png;base64,"))
  }
}
