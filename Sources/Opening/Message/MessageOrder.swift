import Envelope
import Keys

/// Order of changes to a target, recorded when checked (docs/protocol.md, section 11; protocol v1, rule 27).
struct MessageOrder {
    let window: ReplayWindow
    let sender: SenderKey
    let messageID: [UInt8]
    let sentAt: Timestamp
    let keepUntil: Timestamp

    func isLatest(_ operation: Message.Operation) throws(ReplayWindowError) -> Bool {
        switch operation {
        case .show: try isLatest(.show, target: messageID)
        case .replace(let target): try isLatest(.replace, target: target.rawRepresentation)
        case .remove(let target): try isLatest(.remove, target: target.rawRepresentation)
        case .badge: try isLatestBadge()
        case .call, .test: true
        }
    }

    func isLatestBadge() throws(ReplayWindowError) -> Bool { try isLatest(.badge, target: nil) }

    private func isLatest(_ kind: OrderedChange.Kind, target: [UInt8]?) throws(ReplayWindowError) -> Bool {
        let change = OrderedChange(
            sender: sender,
            target: target,
            messageID: messageID,
            sentAt: sentAt,
            kind: kind,
            keepUntil: keepUntil
        )
        return try window.order(change) == .newest
    }
}
