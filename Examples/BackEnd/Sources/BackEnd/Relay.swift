import Envelope
import Foundation

/// Replaces sealedpushd: it has a device's bundle in a file, and makes a push of each post.
struct Relay {
  let folder: URL

  /// GET /v1/devices/{id}/bundle
  func bundle(of device: String) async throws -> [UInt8] {
    // Counted for the test: a restart fetches none again.
    let fetches = folder.appendingPathComponent("fetches")
    try (((try? Data(contentsOf: fetches)) ?? Data()) + Data(".".utf8)).write(to: fetches)
    let text = try String(contentsOf: folder.appendingPathComponent("device.bundle"), encoding: .utf8)
    return Base64URL.decode(text: text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? []
  }

  /// POST /v1/notifications
  func post(_ body: Data, to push: URL) async throws {
    let submission = try JSONDecoder().decode(Submission.self, from: body)
    for recipient in submission.recipients {
      let payload = """
        {"aps":{"alert":{"body":"You have a new message"},"mutable-content":1},\
        "sealed":"\(recipient.sealed)","trace":"\(recipient.trace)"}
        """
      try Data(payload.utf8).write(to: push)
    }
  }
}

/// The body of POST /v1/notifications.
struct Submission: Codable {
  struct Recipient: Codable {
    let device: String
    let sealed: String
    let trace: String
    let receiptHash: String?

    enum CodingKeys: String, CodingKey {
      case device, sealed, trace
      case receiptHash = "receipt-hash"
    }
  }

  let topic: String
  let `class`: String
  let recipients: [Recipient]
}
