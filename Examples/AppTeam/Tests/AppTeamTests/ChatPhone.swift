import Envelope
import ExtensionHarness
import Foundation
import Keys
import NotificationCore
import Opening
import Sealing

@testable import ChatExtension

/// A phone on which our app was launched once, and a friend who writes to it.
final class ChatPhone {
  let device: Device
  private let friend = SenderIdentity()
  private let recipient: Recipient
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let groups = folder.appendingPathComponent("groups")
    let container = groups.appendingPathComponent("group.com.example.chat")
    try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)

    // The app's work at its launch: see "At every launch" in docs/ios.md.
    let topic = try BundleID("com.example.chat")
    let settings = AppDevice.Settings(
      topic: topic,
      containerPath: container.path,
      privatePath: folder.appendingPathComponent("private").path,
      display: DisplayPolicy(texts: FailureTexts(title: "Acme Chat", newMessage: "You have a new message"))
    )
    guard case .newIdentity(let app) = try AppDevice.open(settings) else { throw Surprise.oldIdentity }
    var contacts = ContactList()
    try contacts.add(Contact(key: friend.publicKey, name: "Ada Lovelace"))
    try app.setContacts(contacts)

    // The work of our friend's phone.
    recipient = try Recipient(
      bundle: app.bundle().bytes,
      pinnedIdentity: app.identity,
      topic: topic,
      withoutPinsAt: .now
    )

    var conditions = Device.Conditions()
    conditions.appGroups = groups
    device = Device(conditions) { NotificationService() }
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The payload of a message from our friend.
  func push(_ text: String) throws -> [UInt8] {
    let sealed = try friend.seal(Message(title: "Ada", body: text), for: recipient, sentAt: .now)
    return sealed.payload(placeholder: try Placeholder(title: "Acme Chat", body: "New message"))
  }

  enum Surprise: Error { case oldIdentity }
}
