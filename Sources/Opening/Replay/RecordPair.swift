import Primitives

/// Two pages where an id may be. Choosing the emptier fills pages of 128 almost evenly. A salted digest chooses the
/// pair, so that no sender can aim.
struct RecordPair {
    /// From the first page of records.
    private(set) var numbers = [0, 1]
    var words = [
        [UInt64](repeating: 0, count: WindowLayout.pageWordCount),
        [UInt64](repeating: 0, count: WindowLayout.pageWordCount),
    ]

    struct Place: Equatable {
        let side: Int
        let index: Int
    }

    mutating func read(_ key: ReplayKey, salt: [UInt8], from file: WindowFile) throws(ReplayWindowError) {
        let count = UInt64(WindowLayout.recordPages.count)
        let digest = SHA256.hash(salt, key.bytes)
        let first = digest.word(at: 0) % count
        let second = digest.word(at: 8) % count
        numbers = [Int(first), Int(second == first ? (second + 1) % count : second)]
        for side in 0...1 { try file.read(into: &words[side], at: offset(Place(side: side, index: 0))) }
    }

    func offset(_ place: Place) -> Int {
        WindowLayout.offset(ofPage: WindowLayout.recordPages.lowerBound + numbers[place.side])
            + place.index * ReplayRecord.wordCount * 8
    }

    /// Last word, the only one that changes.
    func tailOffset(_ place: Place) -> Int { offset(place) + (ReplayRecord.wordCount - 1) * 8 }

    func record(_ place: Place) throws(ReplayWindowError) -> ReplayRecord {
        try ReplayRecord(page: words[place.side], at: place.index)
    }

    struct Survey {
        /// Places with the key; several if an evicted id came again.
        var matches: [Place] = []
        /// In the emptier page.
        var free: Place?
    }

    /// Checks every record: a damaged one could be the wanted one.
    func survey(_ key: ReplayKey) throws(ReplayWindowError) -> Survey {
        var survey = Survey()
        var freeCountMost = 0
        for side in 0...1 {
            var freeCount = 0
            var firstFree: Int?
            for index in 0..<WindowLayout.recordsPerPage {
                guard try ReplayRecord.state(in: words[side], at: index) != .free else {
                    freeCount += 1
                    if firstFree == nil { firstFree = index }
                    continue
                }
                guard ReplayRecord.isIntact(in: words[side], at: index) else { throw .damaged }
                if ReplayRecord.isKey(key, in: words[side], at: index) {
                    survey.matches.append(Place(side: side, index: index))
                }
            }
            if let firstFree, freeCount > freeCountMost {
                freeCountMost = freeCount
                survey.free = Place(side: side, index: firstFree)
            }
        }
        return survey
    }

    func used() throws(ReplayWindowError) -> [Place] {
        var used: [Place] = []
        for side in 0...1 {
            for index in 0..<WindowLayout.recordsPerPage
            where try ReplayRecord.state(in: words[side], at: index) != .free {
                used.append(Place(side: side, index: index))
            }
        }
        return used
    }
}
