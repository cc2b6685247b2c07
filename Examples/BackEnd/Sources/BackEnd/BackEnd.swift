import Envelope
import Foundation
import Keys
import Sealing

/// back-end send|resend|rotate|revoke STATE RELAY OUT: seals for the device whose bundle is in RELAY, and ends. STATE
/// keeps everything for the next run.
@main
struct BackEnd {
  static func main() async {
    do {
      try await run()
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  static func run() async throws {
    let words = CommandLine.arguments.dropFirst().map { String($0) }
    guard words.count == 4 else { throw Surprise.usage }
    let (state, relay, out) = (file(words[1]), file(words[2]), file(words[3]))
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)

    let sender = try loadSender(state.path + "/sender.key")
    print("sender \(sender.publicKey.text)")
    let vault = Vault(folder: state)
    try keep(sender, in: vault)
    let chat = try Chat(
      folder: state.path, topic: BundleID("com.example.chat"), sender: loadSender(from: vault),
      relay: Relay(folder: relay))
    let device = Device(
      id: "d1",
      identity: try IdentityKey(text: String(contentsOf: relay.appendingPathComponent("identity.pub"), encoding: .utf8)))

    let record = state.appendingPathComponent("sent.json")
    switch words[0] {
    case "send":
      let (request, sent) = try await chat.send(title: "Anna", body: "See you at eight", to: device)
      try JSONEncoder().encode(sent).write(to: record)
      try await chat.relay.post(request, to: out)
    case "resend":
      let sent = try JSONDecoder().decode(SentMessage.self, from: Data(contentsOf: record))
      try await chat.relay.post(chat.sendAgain(sent, to: device), to: out)
    case "rotate":
      try rotate(chat.sender, to: state.path + "/next.key", topic: chat.topic).write(to: out)
    case "revoke":
      try Data(chat.sender.revocation(topic: chat.topic)).write(to: out)
    default:
      throw Surprise.usage
    }
  }

  static func file(_ path: String) -> URL { URL(fileURLWithPath: path) }
}
