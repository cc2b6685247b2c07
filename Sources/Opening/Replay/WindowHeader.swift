import Envelope

/// Written once and compared on every access, to notice foreign pages.
struct WindowIdentity: Equatable {
    static let wordCount = 8
    /// "SealedPushReplay".
    private static let magic: [UInt64] = [0x7550_6465_6C61_6553, 0x7961_6C70_6552_6873]
    private static let version: UInt64 = 2

    /// Magic, version, id, salt, digest.
    let words: [UInt64]

    /// `salt` is unknown to senders, so that none can aim its ids at one page.
    init(id: [UInt8], salt: [UInt8]) {
        let words = Self.magic + [Self.version, id.word(at: 0), id.word(at: 8), salt.word(at: 0), salt.word(at: 8)]
        self.words = words + [WindowCheck.digest(words[...])]
    }

    init?(page: [UInt64]) {
        let words = Array(page[..<Self.wordCount])
        guard words.starts(with: Self.magic), words[2] == Self.version,
            words[7] == WindowCheck.digest(words[..<7])
        else { return nil }
        self.words = words
    }

    var id: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: words[3])
        bytes.append(bigEndian: words[4])
        return bytes
    }

    var salt: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: words[5])
        bytes.append(bigEndian: words[6])
        return bytes
    }
}

struct WindowHeader: Equatable {
    static let wordIndex = 8
    static let wordCount = 3 + WindowTime.wordCount
    private static let noSlot: UInt64 = 0xFFFF
    /// Leaves room for one more.
    static let generationMax: UInt64 = 1 << 62

    var time = WindowTime()
    var generation: UInt64 = 1
    var sweptSlot: Int?

    init() {}

    init?(page: [UInt64]) {
        let words = page[Self.wordIndex..<Self.wordIndex + Self.wordCount]
        guard words.last == WindowCheck.digest(words.dropLast()) else { return nil }
        generation = words[Self.wordIndex]
        guard generation <= Self.generationMax else { return nil }
        let slot = words[Self.wordIndex + 1]
        guard slot == Self.noSlot || slot < SenderRow.countMax else { return nil }
        sweptSlot = slot == Self.noSlot ? nil : Int(slot)
        time = WindowTime(words: words.dropFirst(2).dropLast())
    }

    /// True if worth writing without other changes.
    func isWorthWriting(over old: WindowHeader) -> Bool {
        generation != old.generation || sweptSlot != old.sweptSlot || time.isWorthWriting(over: old.time)
    }

    var words: [UInt64] {
        let words = [generation, sweptSlot.map(UInt64.init) ?? Self.noSlot] + time.words
        return words + [WindowCheck.digest(words[...])]
    }
}
