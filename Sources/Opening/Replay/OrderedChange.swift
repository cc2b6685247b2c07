package import Envelope
package import Keys

/// A message that shows, changes or removes something, as the order of changes sees it (protocol v1, rule 27).
package struct OrderedChange: Hashable, Sendable {
    package enum Kind: Sendable { case show, replace, remove, badge }

    /// Only its own messages can be a sender's targets: the key is part of what is looked up.
    package let sender: SenderKey
    /// The 16-byte id of the message that is shown, replaced or removed; nil for the badge. For `.show`, the message's
    /// own id, which nil stands for too.
    package let target: [UInt8]?
    /// 16 bytes.
    package let messageID: [UInt8]
    package let sentAt: Timestamp
    package let kind: Kind
    /// Until when the change must be remembered: sent-at and the app's longest lifetime, after which an older message
    /// to the same target has expired.
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
    /// Nothing later is known, or it is this very change again.
    case newest
    /// Something later was done to the target, or something as late was forgotten.
    case superseded
}
