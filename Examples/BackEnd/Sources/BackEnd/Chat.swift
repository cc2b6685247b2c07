import Envelope
import Foundation
import Keys
import Sealing

/// A person's device, as this back end knows it.
struct Device {
  /// At the relay.
  let id: String
  /// From the app, over your own authenticated channel.
  let identity: IdentityKey
}

/// The parts of a message to keep, for sealing it again.
struct SentMessage: Codable {
  let device: String
  let title: String
  let body: String
  let receipt: String?
  let id: String
  let sentAt: UInt64
  let expiresAt: UInt64
}

/// Seals for devices of one app. All its processes share the three files and folders.
final class Chat: Sendable {
  let topic: BundleID
  let sender: SenderIdentity
  let pins: FileBundlePinStore
  let bundles: BundleCache
  let relay: Relay

  init(folder: String, topic: BundleID, sender: consuming SenderIdentity, relay: Relay) throws {
    self.topic = topic
    self.relay = relay
    pins = try FileBundlePinStore(folder: folder + "/pins")
    bundles = try BundleCache(folder: folder + "/bundles")
    self.sender = sender
  }

  func recipient(_ device: Device) async throws -> Recipient {
    try await bundles.recipient(identity: device.identity, topic: topic, pins: pins) {
      try await relay.bundle(of: device.id)
    }
  }

  func send(title: String, body: String, to device: Device) async throws -> (Data, SentMessage) {
    var message = Message(title: title, body: body)
    message.receipt = .random()
    let prepared = try PreparedMessage(message, sentAt: .now)
    let sealed = try sender.seal(prepared, for: await recipient(device))

    let request = try JSONEncoder().encode(submission(of: sealed, receipt: message.receipt, to: device))
    let sent = SentMessage(
      device: device.id, title: title, body: body, receipt: message.receipt?.text, id: prepared.messageID.text,
      sentAt: prepared.sentAt.milliseconds, expiresAt: prepared.expiresAt.milliseconds)
    return (request, sent)
  }

  func submission(of sealed: SealedMessage, receipt: ReceiptCapability?, to device: Device) -> Submission {
    let recipient = Submission.Recipient(
      device: device.id, sealed: sealed.sealedField, trace: sealed.trace.text, receiptHash: receipt?.receiptHash)
    return Submission(topic: topic.text, class: "normal", recipients: [recipient])
  }

  func sendAgain(_ sent: SentMessage, to device: Device) async throws -> Data {
    guard let id = MessageID(text: sent.id) else { throw Surprise.record }
    try bundles.forget(device.identity, topic: topic)
    var message = Message(title: sent.title, body: sent.body)
    message.receipt = sent.receipt.flatMap { ReceiptCapability(text: $0) }
    let prepared = try PreparedMessage(
      resending: message, messageID: id, sentAt: Timestamp(milliseconds: sent.sentAt),
      expiresAt: Timestamp(milliseconds: sent.expiresAt))
    let sealed = try sender.seal(prepared, for: await recipient(device))
    return try JSONEncoder().encode(submission(of: sealed, receipt: message.receipt, to: device))
  }
}

enum Surprise: Error { case usage, record }
