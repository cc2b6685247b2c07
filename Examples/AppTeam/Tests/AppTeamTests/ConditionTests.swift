import ExtensionHarness
import Foundation
import PhotoServer
import Testing

@testable import PhotoExtension

/// The same photo on phones of all kinds.
@Suite struct ConditionTests {
  let device = Device { NotificationService() }

  init() { PhotoServer.start }

  @Test func `who turned notifications off sees nothing, and our code does not run`() async throws {
    device.conditions.alerts = .off
    let shown = try await device.deliver(PhotoTests.push())

    #expect(shown.why == .notRun(.alertsOff))
    #expect(device.screen.isEmpty)
  }

  @Test func `who was never asked finds it in the list`() async throws {
    device.conditions.alerts = .provisional
    let shown = try await device.deliver(PhotoTests.push())

    #expect(shown.presentation.place == .list(.provisional))
  }

  @Test func `a Focus holds it back, unless it is time-sensitive and we may say so`() async throws {
    device.conditions.focus = .on()
    let ordinary = try await device.deliver(PhotoTests.push())
    #expect(ordinary.presentation.place == .list(.focus))

    device.conditions.entitlements = [.timeSensitive]
    let urgent = try await device.deliver(PhotoTests.push(aps: #""interruption-level": "time-sensitive","#))
    #expect(urgent.presentation.place == .banner(.timeSensitive))
  }

  @Test func `a muted phone makes no sound`() async throws {
    device.conditions.isMuted = true
    let shown = try await device.deliver(PhotoTests.push(aps: #""sound": "default","#))

    #expect(shown.presentation.sound == .silenced(.muted))
  }

  @Test func `while the app is open, its delegate decides`() async throws {
    device.conditions.app = .inForeground(willPresent: [.banner])
    let shown = try await device.deliver(PhotoTests.push())

    #expect(shown.presentation.place == .inApp(banner: true, list: false))
  }

  @Test func `sometimes iOS starts no extensions until the phone restarts`() async throws {
    device.conditions.startsExtensions = false
    let shown = try await device.deliver(PhotoTests.push())

    #expect(shown.why == .notRun(.notStarted))
    #expect(shown.body == "A photo")
  }

  @Test func `less time than usual is enough for the text`() async throws {
    device.conditions.expiry = .early(by: .seconds(20))
    let shown = try await device.deliver(PhotoTests.push(photo: "stalled/cat.png"))

    #expect(shown.why == .expired)
    #expect(shown.body == "Look at this!")
  }

  @Test func `without a last call the text is lost`() async throws {
    device.conditions.expiry = .never
    let shown = try await device.deliver(PhotoTests.push(photo: "stalled/cat.png"))

    #expect(shown.why == .timedOut)
    #expect(shown.body == "A photo")
  }

  /// Xcode's template keeps the handler in a property. iOS may use one object for two pushes: the second overwrites it.
  @Test func `one object for two pushes loses one of them`() async throws {
    device.conditions.process = .reused
    let pushes = try (1...2).map { _ in try SimulatedPush(payload: PhotoTests.push(photo: "stalled/cat.png")) }
    let shown = await device.deliver(atOnce: pushes)

    #expect(shown.filter { $0.why == .timedOut }.count == 1)
  }

  @Test func `the placeholder is in the person's language`() async throws {
    let app = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let german = app.appendingPathComponent("de.lproj")
    try FileManager.default.createDirectory(at: german, withIntermediateDirectories: true)
    try Data(#""PHOTO" = "Foto von %@";"#.utf8).write(to: german.appendingPathComponent("Localizable.strings"))
    defer { try? FileManager.default.removeItem(at: app) }

    device.conditions.languages = ["de"]
    device.conditions.appBundle = app
    let shown = try await device.deliver(#"{"aps":{"alert":{"loc-key":"PHOTO","loc-args":["Grace"]}}}"#)

    #expect(shown.body == "Foto von Grace")
  }
}
