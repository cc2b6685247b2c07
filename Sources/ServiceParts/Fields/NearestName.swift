package enum NearestName {
    /// Shorter than any secret of the service, so that messages may repeat such names.
    static let characterCountMax = 40

    /// Known name with the fewest changes, at most two or a third of it; before others one that begins as this one.
    package static func nearest(to name: String, among known: [String]) -> String? {
        let characters = Array(name.utf8.prefix(characterCountMax + 1))
        guard characters.count <= characterCountMax else { return nil }
        let ranked = known.map { (name: $0, distance: distance(characters, Array($0.utf8))) }
        let longer = ranked.filter { $0.name.hasPrefix(name) }
        guard let best = (longer.isEmpty ? ranked : longer).min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, best.name.utf8.count / 3) ? best.name : nil
    }

    /// Name for a message; nil for a text that does not look like one.
    package static func presentable(_ name: String) -> String? {
        guard (1...characterCountMax).contains(name.utf8.count), name.utf8.allSatisfy(isNameCharacter) else {
            return nil
        }
        return name
    }

    private static func isNameCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Levenshtein distance.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[other.count]
    }
}
