package import Envelope
package import Keys
import Primitives

package struct MessageStamp: Hashable, Sendable {
    package let sender: SenderKey
    /// 16 bytes.
    package let messageID: [UInt8]
    package let sentAt: Timestamp
    package let expiresAt: Timestamp

    package init(sender: SenderKey, messageID: [UInt8], sentAt: Timestamp, expiresAt: Timestamp) {
        precondition(messageID.count == 16)
        self.sender = sender
        self.messageID = messageID
        self.sentAt = sentAt
        self.expiresAt = expiresAt
    }

    package var key: ReplayKey { ReplayKey(sender: sender, messageID: messageID) }
}

/// Id as remembered. Each sender's keys are its own: none can use up another's ids (protocol v1, rule 23).
package struct ReplayKey: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// SHA-256(sender key ‖ message id)[0..<16].
    package init(sender: SenderKey, messageID: [UInt8]) {
        precondition(messageID.count == 16)
        self.init(digest: SHA256.hash(sender.rawRepresentation, messageID))
    }

    package init(digest: [UInt8]) {
        high = digest.word(at: 0)
        low = digest.word(at: 8)
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}

extension [UInt8] {
    /// Big-endian.
    func word(at offset: Int) -> UInt64 { self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }
}
