import Envelope
import Keys

// Steps 8 and 9: the body, the contact's rights, and the order of changes.
extension MessageOpener {
    func readBody(of frame: Frame) throws(Rejection) -> Message {
        do {
            return try Message(sealedBody: frame.body)
        } catch {
            throw Rejection(error == .unsupported ? .unsupported : .malformed)
        }
    }

    func applyRights(to message: inout Message, of contact: Contact) throws(Rejection) {
        let filter = RightsFilter(
            contact: contact,
            names: policy.allowedNames(for: contact.role),
            allowsAttachments: policy.attachmentRoles.contains(contact.role)
        )
        guard filter.permits(message.operation) else { throw Rejection(.notPermitted) }
        filter.apply(to: &message)
    }

    func judgeCallTimes(_ message: Message, frame: Frame, isClockTrusted: Bool) throws(Rejection) {
        guard case .call = message.operation else { return }
        guard frame.expiryTime <= frame.sentTime.advanced(by: Message.callLifetimeMax) else {
            throw Rejection(.malformed)
        }
        guard isClockTrusted else { throw Rejection(.clockUntrusted) }
    }

    /// An unfinished claim suffices to show a text again, but not to ring again (protocol v1, rule 29).
    func judgeCall(_ message: Message, isFirst: Bool) throws(Rejection) {
        guard case .call = message.operation else { return }
        guard isFirst else { throw Rejection(.replay) }
    }

    func keepOrder(
        of message: inout Message,
        frame: Frame,
        from contact: Contact
    ) throws(Rejection) {
        guard case .window(let window) = replay else { return }
        let order = MessageOrder(
            window: window,
            sender: contact.key,
            messageID: frame.messageID,
            sentAt: frame.sentTime,
            // A message older than this change cannot expire later than this.
            keepUntil: frame.sentTime.advanced(by: policy.lifetimeMax)
        )
        do {
            guard try order.isLatest(message.operation) else { throw Rejection(.superseded) }
            if message.operation != .badge, message.badge != nil, try !order.isLatestBadge() { message.badge = nil }
        } catch let error as Rejection {
            throw error
        } catch {
            throw Rejection(.storeUnavailable)
        }
    }
}
