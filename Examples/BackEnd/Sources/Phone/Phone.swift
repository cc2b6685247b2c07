import Envelope
import Foundation
import Keys
import NotificationCore
import Opening

/// Replaces your app on a phone.
///
///     phone launch FOLDER RELAY SENDER.pub     keys, a contact, and the bundle for the relay
///     phone show FOLDER PUSH                   its extension's result for a push
///     phone accept FOLDER ANNOUNCEMENT         a sender's announcement about its key
@main
struct Phone {
  static let display = DisplayPolicy(texts: FailureTexts(title: "Acme Chat", newMessage: "You have a new message"))

  static func main() {
    do {
      try run(CommandLine.arguments.dropFirst().map { String($0) })
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  static func run(_ words: [String]) throws {
    guard words.count >= 3 else { throw Surprise.usage }
    let container = words[1] + "/group"
    try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
    switch words[0] {
    case "launch": try launch(words[1], container, relay: words[2], sender: words[3])
    case "show":
      let pipeline = NotificationPipeline(containerPath: container, display: display)
      let push = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: words[2])))
      let content = pipeline.content(userInfo: push as? [AnyHashable: Any] ?? [:])
      print("\(content.title): \(content.body)")
      pipeline.didShow(content)
    case "accept":
      switch try device(words[1], container).accept(Array(Data(contentsOf: URL(fileURLWithPath: words[2])))) {
      case .replaced: print("replaced")
      case .revoked: print("revoked")
      case .unchanged: print("unchanged")
      }
    default: throw Surprise.usage
    }
  }

  static func launch(_ folder: String, _ container: String, relay: String, sender: String) throws {
    let device = try device(folder, container)
    var contacts = try device.contacts()
    let key = try SenderKey(text: String(contentsOfFile: sender, encoding: .utf8))
    try contacts.add(Contact(key: key, role: .service, name: "Acme"))
    try device.setContacts(contacts)

    try FileManager.default.createDirectory(atPath: relay, withIntermediateDirectories: true)
    try device.identity.text.write(toFile: relay + "/identity.pub", atomically: true, encoding: .utf8)
    let bundle = try device.bundle()
    try Base64URL.string(bundle.bytes).write(toFile: relay + "/device.bundle", atomically: true, encoding: .utf8)
    try device.acknowledged(epoch: bundle.epoch)
  }

  static func device(_ folder: String, _ container: String) throws -> AppDevice {
    let settings = AppDevice.Settings(
      topic: try BundleID("com.example.chat"), containerPath: container, privatePath: folder + "/private",
      display: display)
    switch try AppDevice.open(settings) {
    case .continued(let device), .newIdentity(let device), .remade(let device, because: _): return device
    }
  }

  enum Surprise: Error { case usage }
}
