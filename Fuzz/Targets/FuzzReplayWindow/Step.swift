import Envelope
import Primitives

@testable import Opening

/// One event of the file or the window, parsed from the fuzzer's bytes.
enum Step {
    case damage([Write])
    case resize(byteCount: Int)
    case reopen
    case claim(MessageStamp, now: Timestamp)
    case claimWebPush(ReplayKey, now: Timestamp)
    case commit
    case order(OrderedChange, now: Timestamp)
    case advanceGeneration

    struct Write {
        let words: [UInt64]
        let offset: Int
    }

    /// nil at the end of the input.
    init?(_ reader: inout ByteReader) {
        guard let kind = reader.take(UInt8.self) else { return nil }
        switch kind & 15 {
        case 0...7:
            guard let writes = Damage.writes(kind & 7, &reader) else { return nil }
            self = .damage(writes)
        case 8:
            guard let byteCount = reader.take(UInt16.self) else { return nil }
            self = .resize(byteCount: WindowLayout.byteCount + Int(Int16(bitPattern: byteCount)))
        case 9: self = .reopen
        case 10: self = .commit
        case 11: self = .advanceGeneration
        case 12:
            guard let number = reader.take(UInt8.self), let now = reader.takeTime() else { return nil }
            self = .claimWebPush(Names.webPushKey(number), now: now)
        case 13:
            guard let change = reader.takeChange(), let now = reader.takeTime() else { return nil }
            self = .order(change, now: now)
        default:
            guard let stamp = reader.takeStamp(), let now = reader.takeTime() else { return nil }
            self = .claim(stamp, now: now)
        }
    }
}

/// Senders and messages that the file knows, and one sender that it does not.
enum Names {
    static let senderCount = 3
    static let messageCount = 8

    static func messageID(_ number: UInt8) -> [UInt8] {
        [UInt8](repeating: number % UInt8(messageCount), count: 16)
    }

    static func webPushKey(_ number: UInt8) -> ReplayKey {
        ReplayKey(digest: SHA256.hash([number % UInt8(messageCount)]))
    }

    /// All times are around this.
    static let now: UInt64 = 1_800_000_000_000
}

extension ByteReader {
    /// Milliseconds, seconds or hours around the fixed time, or any number.
    mutating func takeTime() -> Timestamp? {
        guard let unit = take(UInt8.self) else { return nil }
        if unit & 3 == 3 { return take(UInt64.self).map { Timestamp(milliseconds: $0) } }
        guard let distance = take(UInt16.self) else { return nil }
        let factor: Int64 = [1, 1_000, 3_600_000][Int(unit & 3)]
        return Timestamp(milliseconds: UInt64(Int64(Names.now) + Int64(Int16(bitPattern: distance)) * factor))
    }

    fileprivate mutating func takeStamp() -> MessageStamp? {
        guard let number = take(UInt8.self), let sentAt = takeTime(), let expiresAt = takeTime() else { return nil }
        return MessageStamp(
            sender: WindowImage.senders[Int(number >> 4) % Names.senderCount],
            messageID: Names.messageID(number & 0x0F),
            sentAt: sentAt,
            expiresAt: expiresAt
        )
    }

    fileprivate mutating func takeChange() -> OrderedChange? {
        guard let number = take(UInt8.self), let target = take(UInt8.self), let sentAt = takeTime(),
            let keepUntil = takeTime()
        else { return nil }
        let kinds: [OrderedChange.Kind] = [.show, .replace, .remove, .badge]
        let kind = kinds[Int(target >> 6)]
        return OrderedChange(
            sender: WindowImage.senders[Int(number >> 4) % Names.senderCount],
            target: kind == .show ? nil : Names.messageID(target & 0x0F),
            messageID: Names.messageID(number & 0x0F),
            sentAt: sentAt,
            kind: kind,
            keepUntil: keepUntil
        )
    }
}
