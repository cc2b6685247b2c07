/// One id: 32 bytes.
///
///     word 0, 1  key
///     word 2     sent-at (44 bits) | sender (12) | check (8)
///     word 3     state (4) | claimed at (28) | lifetime (32)
///
/// Sent-at and lifetime are in milliseconds; sent-at ends in the year 2527. Claims count seconds of the window's uptime
/// (`WindowTime.tick`): 28 bits last eight years, after which every claim is live.
struct ReplayRecord: Equatable {
    static let wordCount = 4
    /// In seconds (protocol v1, rule 26).
    static let claimTicks: UInt64 = 35
    /// In seconds of uptime.
    static let tickMax: UInt64 = 1 << 28 - 1
    private static let sentAtMax: UInt64 = 1 << 44 - 1

    /// Any two differ in two bits, and none is zero: cleared pages have no free places.
    enum State: UInt64 {
        case free = 0b0011
        case claimed = 0b0101
        case done = 0b0110
    }

    let key: ReplayKey
    let sentAt: UInt64
    let lifetime: UInt64
    var slot = 0
    var state = State.claimed
    private var claimedAt: UInt64 = 0

    /// In milliseconds; `lifetime` is below 2^32.
    init(key: ReplayKey, sentAt: UInt64, lifetime: UInt64) {
        precondition(lifetime <= UInt32.max)
        self.key = key
        self.sentAt = min(sentAt, Self.sentAtMax)
        self.lifetime = lifetime
    }

    var expiresAt: UInt64 { sentAt + lifetime }

    /// `tick` is read under the window's lock.
    mutating func claim(at tick: UInt64) {
        state = .claimed
        claimedAt = min(tick, Self.tickMax)
    }

    /// This window made no claim in the future.
    func isClaimLive(at tick: UInt64) -> Bool { claimedAt <= tick && tick - claimedAt <= Self.claimTicks }

    var words: [UInt64] { [key.high, key.low, middle | check, tail] }

    static let freeWords: [UInt64] = [0, 0, 0, freeTail]

    /// The last word of a released place; the others do not count.
    static let freeTail = State.free.rawValue << 60

    /// The only word that changes in an id's life.
    var tail: UInt64 { state.rawValue << 60 | claimedAt << 32 | lifetime }

    private var middle: UInt64 { sentAt << 20 | UInt64(slot) << 8 }
    private var check: UInt64 { Self.check(key.high, key.low, middle, lifetime) }

    private static func check(_ high: UInt64, _ low: UInt64, _ middle: UInt64, _ lifetime: UInt64) -> UInt64 {
        WindowCheck.sum(high, low, middle >> 8, lifetime, modulo: WindowCheck.prime8)
    }

    static func state(in page: [UInt64], at index: Int) throws(ReplayWindowError) -> State {
        guard let state = State(rawValue: page[index * wordCount + 3] >> 60) else { throw .damaged }
        return state
    }

    static func isKey(_ key: ReplayKey, in page: [UInt64], at index: Int) -> Bool {
        page[index * wordCount] == key.high && page[index * wordCount + 1] == key.low
    }

    static func slot(in page: [UInt64], at index: Int) -> Int { Int(page[index * wordCount + 2] >> 8 & 0xFFF) }

    static func expiresAt(in page: [UInt64], at index: Int) -> UInt64 {
        page[index * wordCount + 2] >> 20 + page[index * wordCount + 3] & UInt64(UInt32.max)
    }

    static func isIntact(in page: [UInt64], at index: Int) -> Bool {
        let middle = page[index * wordCount + 2]
        let lifetime = page[index * wordCount + 3] & UInt64(UInt32.max)
        return middle & 0xFF == check(page[index * wordCount], page[index * wordCount + 1], middle, lifetime)
    }

    init(page: [UInt64], at index: Int) throws(ReplayWindowError) {
        let first = index * Self.wordCount
        key = ReplayKey(high: page[first], low: page[first + 1])
        sentAt = page[first + 2] >> 20
        slot = Self.slot(in: page, at: index)
        lifetime = page[first + 3] & UInt64(UInt32.max)
        claimedAt = page[first + 3] >> 32 & Self.tickMax
        state = try Self.state(in: page, at: index)
        guard state != .free, Self.isIntact(in: page, at: index), slot < SenderRow.countMax else { throw .damaged }
    }
}
