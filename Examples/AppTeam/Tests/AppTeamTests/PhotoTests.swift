import ExtensionHarness
import Foundation
import PhotoServer
import Testing

@testable import PhotoExtension

/// A photo, as our users see it, whatever happens on the way.
@Suite struct PhotoTests {
  let device = Device { NotificationService() }

  init() { PhotoServer.start }

  @Test func `a push that arrives on time shows text and photo`() async throws {
    // A busy build machine may need seconds for a phone's instant: slow the clock down.
    device.conditions.timekeeping = .automatic(scale: 0.1)
    let shown = try await device.deliver(Self.push(photo: "prompt/cat.png"))

    #expect(shown.why == .answered)
    #expect(shown.title == "Grace")
    #expect(shown.body == "Look at this!")
    #expect(shown.attachments.first?.type == "public.png")
  }

  @Test func `a server that never answers costs the photo, not the text`() async throws {
    let shown = try await device.deliver(Self.push(photo: "stalled/cat.png"))

    #expect(shown.why == .expired)
    #expect(shown.body == "Look at this!")
    #expect(shown.attachments.isEmpty)
  }

  @Test func `a page instead of a photo costs the photo and, on older iOS, the text`() async throws {
    device.conditions.timekeeping = .automatic(scale: 0.1)
    let older = try await device.deliver(Self.push(photo: "lying/cat.png"))
    #expect(older.why == .invalidAttachment(.corrupt))
    #expect(older.body == "A photo")

    device.conditions.invalidAttachment = .discardsAttachment
    let newer = try await device.deliver(Self.push(photo: "lying/cat.png"))
    #expect(newer.body == "Look at this!" && newer.attachments.isEmpty)
  }

  @Test func `a push that iOS delivers twice is on the screen once`() async throws {
    device.conditions.repetition = .twice
    let shown = try await device.deliver(Self.push(photo: "prompt/cat.png"))

    #expect(shown.repeated.map(\.body) == ["Look at this!"])
    #expect(device.screen.map(\.body) == ["Look at this!"])
  }

  @Test func `a push without mutable-content is shown as it came`() async throws {
    let shown = try await device.deliver(#"{"aps":{"alert":{"title":"Grace","body":"A photo"}},"secret":"TG9vaw=="}"#)

    #expect(shown.why == .notRun(.notMutable))
    #expect(shown.body == "A photo")
  }

  @Test func `twenty pushes at once are all shown`() async throws {
    let pushes = try (1...20).map { try SimulatedPush(payload: Self.push(text: "Photo \($0)", photo: "prompt/cat.png")) }
    let shown = await device.deliver(atOnce: pushes)

    #expect(shown.map(\.body) == (1...20).map { "Photo \($0)" })
    #expect(device.screen.count == 20)
  }

  /// As in the README.
  @Test func `less time than usual is enough for a text`() async throws {
    let device = Device { NotificationService() }
    device.conditions.expiry = .early(by: .seconds(20))
    let shown = try await device.deliver(#"{"aps":{"alert":"Hello","mutable-content":1}}"#)
    #expect(shown.why == .answered)
  }

  /// The payload of our back end.
  static func push(text: String = "Look at this!", photo: String = "prompt/cat.png", aps: String = "") -> [UInt8] {
    let secret = Data(text.utf8).base64EncodedString()
    let json = """
      {
        "aps": { \(aps) "alert": { "title": "Grace", "body": "A photo" }, "mutable-content": 1 },
        "secret": "\(secret)",
        "photo": "https://photos.example.com/\(photo)"
      }
      """
    return Array(json.utf8)
  }
}
