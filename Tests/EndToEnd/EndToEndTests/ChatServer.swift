import EndToEndStage
import Envelope
import Foundation
import Keys
import Sealing

@testable import ChatAppCode

/// A chat's back end, by public interfaces alone: its sender key, its pins, and the relay.
actor ChatServer: BackEnd {
    private let stage: Stage
    private let sender = SenderIdentity()
    private let pins = MemoryBundlePinStore()
    /// Identities by the device's id at the relay.
    private var identities: [String: IdentityKey] = [:]
    private let device: String

    /// - Parameter device: its name for the device of the person who is signed in.
    init(on stage: Stage, device: String) {
        self.stage = stage
        self.device = device
    }

    nonisolated var senderKey: SenderKey { sender.publicKey }

    // The app's side.

    func friends() -> [(key: String, name: String)] { [(sender.publicKey.text, "Ada Lovelace")] }

    func time() -> Timestamp { .now }

    func register(_ registration: [UInt8], identity: String) async throws -> [UInt8] {
        let answer = try await stage.ask("PUT", "/v1/devices/\(device)", registration)
        guard answer.status < 300 else { throw Surprise("the relay refused the registration: \(answer.status)") }
        identities[device] = try IdentityKey(text: identity)
        return answer.body
    }

    // The sender's side.

    /// The device as a recipient, by the bundle that the relay hands out.
    func recipient() async throws -> Recipient {
        guard let identity = identities[device] else { throw Surprise("the device is not registered") }
        let answer = try await stage.ask("GET", "/v1/devices/\(device)/bundle").json()
        guard let bundle = Base64URL.decode(text: answer["bundle"]?.text ?? "") else { throw Surprise("no bundle") }
        return try Recipient(
            bundle: bundle,
            fetchedAt: .now,
            pinnedIdentity: identity,
            topic: BundleID(Stage.topic),
            pins: pins
        )
    }

    /// Seals a message for the device and posts it.
    ///
    /// - Returns: the notification's id, once it is on the relay's disk.
    @discardableResult
    func send(
        _ message: Message,
        to recipient: Recipient? = nil,
        class name: String = "normal",
        collapseID: String? = nil
    ) async throws -> String {
        let prepared = try PreparedMessage(message, sentAt: .now)
        return try await post(prepared, receipt: message.receipt, to: recipient, class: name, collapseID: collapseID)
    }

    /// Seals it for the first time or again, and posts it.
    func post(
        _ message: PreparedMessage,
        receipt: ReceiptCapability? = nil,
        to recipient: Recipient? = nil,
        class name: String = "normal",
        collapseID: String? = nil
    ) async throws -> String {
        let sealed = try await self.sealed(message, to: recipient)
        var one = ["device": device, "sealed": sealed.sealedField, "trace": sealed.trace.text]
        one["receipt-hash"] = receipt?.receiptHash
        return try await post(one, class: name, collapseID: collapseID)
    }

    /// Seals it without posting it.
    func sealed(_ message: PreparedMessage, to recipient: Recipient? = nil) async throws -> SealedMessage {
        let target = if let recipient { recipient } else { try await self.recipient() }
        return try sender.seal(message, for: target)
    }

    func post(webPush record: String) async throws -> String {
        try await post(["device": device, "webpush": record], class: "normal", collapseID: nil)
    }

    private func post(_ recipient: [String: String], class name: String, collapseID: String?) async throws -> String {
        let submission = Submission(topic: Stage.topic, class: name, collapseID: collapseID, recipients: [recipient])
        let answer = try await stage.ask("POST", "/v1/notifications", Array(JSONEncoder().encode(submission)))
        guard answer.status == 202, let id = try answer.json()["notifications"]?.elements.first?["id"]?.text else {
            throw Surprise("the relay answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return id
    }

    private struct Submission: Encodable {
        let topic: String
        let `class`: String
        let collapseID: String?
        let recipients: [[String: String]]

        enum CodingKeys: String, CodingKey {
            case topic, `class`, recipients
            case collapseID = "collapse-id"
        }
    }
}
