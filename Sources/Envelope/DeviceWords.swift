/// The forms of what an app says of its device, as the device writes them and the relay reads them.
package enum DeviceWords {
    /// A language tag: 1 to 35 characters; subtags of 1 to 8 letters and digits, the first of 2 to 8 letters.
    ///
    /// - Source: RFC 5646 section 2.1, without its registry.
    package static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return text.utf8.count <= 35
            && parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
            && (2...8).contains(parts[0].count) && parts[0].allSatisfy(isLetter)
    }

    /// A country or area: two letters in upper case, or three digits.
    ///
    /// - Source: ISO 3166-1 and UN M.49, without their registries.
    package static func isRegion(_ text: String) -> Bool {
        text.utf8.count == 2
            ? text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            : text.utf8.count == 3 && text.utf8.allSatisfy(isDigit)
    }

    /// An app's version: 1 to 32 of `A-Z a-z 0-9 . - + _`.
    package static func isVersion(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || ".-+_".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
