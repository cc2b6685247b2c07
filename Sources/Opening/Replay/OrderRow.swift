import Envelope

/// Latest change to one target of one sender: 48 bytes.
///
///     word 0, 1  key: SHA-256(sender key ‖ target id, or nothing for the badge)[0..<16]
///     word 2     sent-at (48 bits) | sender (12) | kind (4)
///     word 3, 4  id of the message that made the change
///     word 5     to be kept until (48) | check (16)
struct OrderRow: Equatable {
    static let wordCount = 6
    /// In milliseconds; later times, beyond the year 10889, are equal.
    private static let timeMax: UInt64 = 1 << 48 - 1
    private static let emptyKind: UInt64 = 0b0011

    private enum Kind: UInt64 {
        case show = 0b0101
        case replace = 0b0110
        case remove = 0b1001
        case badge = 0b1010
    }

    let key: ReplayKey
    let slot: Int
    let sentAt: UInt64
    let messageHigh: UInt64
    let messageLow: UInt64
    let keepUntil: UInt64
    private let kind: Kind

    init(_ change: OrderedChange, key: ReplayKey, slot: Int) {
        self.key = key
        self.slot = slot
        sentAt = min(change.sentAt.milliseconds, Self.timeMax)
        messageHigh = change.messageID.word(at: 0)
        messageLow = change.messageID.word(at: 8)
        keepUntil = min(change.keepUntil.milliseconds, Self.timeMax)
        switch change.kind {
        case .show: kind = .show
        case .replace: kind = .replace
        case .remove: kind = .remove
        case .badge: kind = .badge
        }
    }

    /// 0 is no floor.
    func isAbove(_ floor: UInt64) -> Bool { floor == 0 || sentAt > floor }

    /// Rule 27: by (sent-at, message id). Only the same message ties.
    func isLater(than other: OrderRow) -> Bool {
        isLater(thanSentAt: other.sentAt, high: other.messageHigh, low: other.messageLow)
    }

    func isLater(thanSentAt otherSentAt: UInt64, high: UInt64, low: UInt64) -> Bool {
        (sentAt, messageHigh, messageLow) > (otherSentAt, high, low)
    }

    static let emptyWords: [UInt64] = [0, 0, emptyKind, 0, 0, 0]

    var words: [UInt64] {
        let words = [key.high, key.low, sentAt << 16 | UInt64(slot) << 4 | kind.rawValue, messageHigh, messageLow]
        return words + [keepUntil << 16 | Self.check(words[...], keepUntil)]
    }

    private static func check(_ words: ArraySlice<UInt64>, _ keepUntil: UInt64) -> UInt64 {
        WindowCheck.sum(words + [keepUntil], modulo: WindowCheck.prime16)
    }

    static func read(_ page: [UInt64], at index: Int) throws(ReplayWindowError) -> OrderRow? {
        try OrderRow(page: page, at: index)
    }

    private init?(page: [UInt64], at index: Int) throws(ReplayWindowError) {
        let first = index * Self.wordCount
        let code = page[first + 2] & 0xF
        if code == Self.emptyKind { return nil }
        let keepUntil = page[first + 5] >> 16
        guard let kind = Kind(rawValue: code),
            page[first + 5] & 0xFFFF == Self.check(page[first..<first + 5], keepUntil)
        else { throw .damaged }
        key = ReplayKey(high: page[first], low: page[first + 1])
        slot = Int(page[first + 2] >> 4 & 0xFFF)
        sentAt = page[first + 2] >> 16
        messageHigh = page[first + 3]
        messageLow = page[first + 4]
        self.keepUntil = keepUntil
        self.kind = kind
        guard slot < SenderRow.countMax else { throw .damaged }
    }
}
