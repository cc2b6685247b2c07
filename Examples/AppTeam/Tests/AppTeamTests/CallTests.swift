import CallKit
import Envelope
import ExtensionHarness
import Foundation
import Keys
import NotificationCore
import Opening
import PushKit
import Sealing
import Testing

@testable import ChatCalls

/// A call, as our users see and hear it.
@Suite struct CallTests {
  let callee: CalledPhone
  var phone: VoIPPhone { callee.phone }

  init() throws { callee = try CalledPhone() }

  @Test func `a call rings with our friend's name`() async throws {
    let delivery = try await phone.deliver(callee.push("room 7"))

    #expect(delivery.why == .reported)
    #expect(delivery.call?.name == "Ada Lovelace")
    #expect(delivery.call?.state == .ringing)
  }

  @Test func `a call that comes twice rings once`() async throws {
    let push = try callee.push("room 7")
    _ = try await phone.deliver(push)
    let second = try await phone.deliver(push)

    #expect(second.call?.state == .refused(.callUUIDAlreadyExists))
    #expect(phone.calls.count == 1)
  }

  @Test func `whatever comes, there is a call, and one that cannot be answered ends at once`() async throws {
    let delivery = try await phone.deliver(#"{"aps":{},"sealed":"AAAA"}"#)

    #expect(delivery.why == .reported)
    #expect(delivery.call?.state == .ended(.failed))
  }

  @Test func `an app that passes a push over is ended`() async throws {
    let phone = VoIPPhone { SilentCalls() }
    let delivery = try await phone.deliver(#"{"aps":{}}"#)

    #expect(delivery.why == .terminated(.returnedWithoutReport))
  }
}

/// A phone on which our app was launched once, and which knows our friend.
final class CalledPhone {
  let phone: VoIPPhone
  private let friend = SenderIdentity()
  private let recipient: Recipient
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let container = folder.appendingPathComponent("group.com.example.chat")
    try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)
    let topic = try BundleID("com.example.chat")
    let settings = AppDevice.Settings(
      topic: topic,
      containerPath: container.path,
      privatePath: folder.appendingPathComponent("private").path,
      display: DisplayPolicy(texts: FailureTexts(title: "Acme Chat", newMessage: "You have a new message"))
    )
    guard case .newIdentity(let app) = try AppDevice.open(settings) else { throw ChatPhone.Surprise.oldIdentity }
    var contacts = ContactList()
    // A call needs its right: without it there is nothing to answer.
    try contacts.add(Contact(key: friend.publicKey, name: "Ada Lovelace", rights: [.call]))
    try app.setContacts(contacts)
    recipient = try Recipient(bundle: app.bundle().bytes, pinnedIdentity: app.identity, topic: topic, withoutPinsAt: .now)

    // The app's work at its launch.
    phone = VoIPPhone {
      IncomingCalls(
        opener: CallOpener(containerPath: container.path, appName: "Acme Chat"),
        provider: CXProvider(configuration: CXProviderConfiguration())
      ) { _ in /* to our server, as the device's voip-token */ }
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The payload of a call from our friend.
  func push(_ text: String) throws -> [UInt8] {
    var message = Message()
    message.operation = .call(text)
    let sealed = try friend.seal(message, for: recipient, sentAt: .now)
    return sealed.payload(placeholder: try Placeholder(title: "Acme Chat", body: "New message"))
  }
}

/// A common mistake: this push is for something else, so nothing is reported.
final class SilentCalls: NSObject, PKPushRegistryDelegate {
  private let registry = PKPushRegistry(queue: .main)

  override init() {
    super.init()
    registry.delegate = self
    registry.desiredPushTypes = [.voIP]
  }

  func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {}

  func pushRegistry(
    _ registry: PKPushRegistry,
    didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType,
    completion: @escaping () -> Void
  ) {
    completion()
  }
}
