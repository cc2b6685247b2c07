package import Envelope
import Keys

/// Opens a push: (sealed field, key ring, contacts, replay window, clock) → outcome. Synchronous and total: no bytes
/// make it trap.
package struct MessageOpener: Sendable {
    package enum ReplayProtection: Sendable {
        case window(ReplayWindow)
        /// The window is unusable: nothing counts as new.
        case unavailable
        /// For tools.
        case none
    }

    let keyRing: KeyRing
    let contacts: any SenderDirectory
    let replay: ReplayProtection
    let policy: OpeningPolicy
    let pushClass: PushClass

    package init(
        keyRing: KeyRing,
        contacts: any SenderDirectory,
        replay: ReplayProtection,
        policy: OpeningPolicy = OpeningPolicy(),
        pushClass: PushClass = .alert
    ) {
        self.keyRing = keyRing
        self.contacts = contacts
        self.replay = replay
        self.policy = policy
        self.pushClass = pushClass
    }

    /// Follows docs/protocol.md, section 8. Nothing in a message counts before its signature is verified.
    ///
    /// - Returns: always one outcome, and the claim to commit after display.
    package func open(sealedField: String, now: Timestamp) -> OpenedPush {
        var claim: ReplayClaim?
        var parsed: Envelope?
        do throws(Rejection) {
            let envelope = try parse(sealedField)
            parsed = envelope
            let prekey = try prekey(for: envelope.header)
            let info = Binding.info(
                header: envelope.header,
                topic: keyRing.topic,
                identityKey: keyRing.identity.rawRepresentation,
                prekeyFingerprint: prekey.fingerprint
            )
            let frame = try openFrame(of: envelope, with: prekey, info: info)
            let (contact, retired) = try verifySender(of: frame, info: info)
            let isClockTrusted = try judgeTimes(of: frame, now: now)
            try judgeRetirement(of: contact, retired, now: now)
            let isFirst = try claimOnce(frame, from: contact, claim: &claim)
            var message = try readBody(of: frame)
            try judgeCallTimes(message, frame: frame, isClockTrusted: isClockTrusted)
            try applyRights(to: &message, of: contact)
            try judgeCall(message, isFirst: isFirst)
            try keepOrder(of: &message, frame: frame, from: contact)
            let outcome = Outcome.opened(try opened(message, frame, contact))
            return OpenedPush(outcome: outcome, claim: claim, isFirst: isFirst)
        } catch {
            return OpenedPush(
                outcome: error.outcome,
                claim: claim,
                replayed: error.replayed,
                kept: error.isKept ? parsed : nil
            )
        }
    }

    struct Rejection: Error {
        let outcome: Outcome
        let replayed: ReplayKey?
        let isKept: Bool

        init(_ outcome: Outcome, replayed: ReplayKey? = nil, isKept: Bool = false) {
            self.outcome = outcome
            self.replayed = replayed
            self.isKept = isKept
        }
    }

    private func opened(_ message: Message, _ frame: Frame, _ contact: Contact) throws(Rejection) -> OpenedMessage {
        guard let id = MessageID(rawRepresentation: frame.messageID) else { throw Rejection(.malformed) }
        return OpenedMessage(
            message: message,
            messageID: id,
            sentAt: frame.sentTime,
            expiresAt: frame.expiryTime,
            sender: contact.key,
            contactName: contact.name,
            isTruncated: frame.flags.contains(.truncated)
        )
    }
}

package struct OpenedPush: Sendable {
    package let outcome: Outcome
    package let claim: ReplayClaim?
    /// True if never claimed before: effects that may happen only once happen now.
    package let isFirst: Bool
    /// Message that a contact's replay repeated.
    package let replayed: ReplayKey?
    /// Message of a contact that only the device's clock refused: confirmed time may open it.
    package let kept: Envelope?

    package init(
        outcome: Outcome,
        claim: ReplayClaim?,
        isFirst: Bool = false,
        replayed: ReplayKey? = nil,
        kept: Envelope? = nil
    ) {
        self.outcome = outcome
        self.claim = claim
        self.isFirst = isFirst
        self.replayed = replayed
        self.kept = kept
    }
}

extension Frame {
    var sentTime: Timestamp { Timestamp(milliseconds: sentAt) }
    var expiryTime: Timestamp { Timestamp(milliseconds: expiresAt) }
}
