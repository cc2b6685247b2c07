package import Envelope
package import Keys

/// Message that shows, changes or removes something (protocol v1, rule 27).
package struct OrderedChange: Hashable, Sendable {
    package enum Kind: Sendable { case show, replace, remove, badge }

    /// Part of the key: only a sender's own messages can be targets.
    package let sender: SenderKey
    /// 16-byte id of the target; nil for the badge, and allowed for `.show`.
    package let target: [UInt8]?
    /// 16 bytes.
    package let messageID: [UInt8]
    package let sentAt: Timestamp
    package let kind: Kind
    /// Sent-at plus the app's longest lifetime: older messages have expired by then.
    package let keepUntil: Timestamp

    package init(
        sender: SenderKey,
        target: [UInt8]?,
        messageID: [UInt8],
        sentAt: Timestamp,
        kind: Kind,
        keepUntil: Timestamp
    ) {
        precondition(messageID.count == 16 && (target?.count ?? 16) == 16)
        precondition(target != nil || kind == .show || kind == .badge)
        self.sender = sender
        self.target = kind == .badge ? nil : target ?? messageID
        self.messageID = messageID
        self.sentAt = sentAt
        self.kind = kind
        self.keepUntil = keepUntil
    }
}

package enum OrderVerdict: Hashable, Sendable {
    /// Nothing later is known, or it is the same change again.
    case newest
    /// The target has a later change, or one as late was forgotten.
    case superseded
}
