// Hosts that all readers read alike. Disguised addresses (127.1, 0x7f000001, 2130706433) are refused: the last label
// begins with a letter.
extension AttachmentURL {
    static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
        guard host.first != UInt8(ascii: "[") else {
            return host.last == UInt8(ascii: "]") && isIPv6(host.dropFirst().dropLast())
        }
        return host.elementsEqual("localhost".utf8) || isName(host) || isIPv4(host)
    }

    /// Two labels or more of letters, digits and hyphens (RFC 1123 section 2.1).
    private static func isName(_ host: ArraySlice<UInt8>) -> Bool {
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, let first = labels.last?.first, isLowerCaseLetter(first) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isLowerCaseLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// RFC 3986 section 3.2.2, `IPv4address`.
    private static func isIPv4(_ host: ArraySlice<UInt8>) -> Bool {
        let numbers = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { digits in
                digits.allSatisfy(isDigit) && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
                    && UInt8(String(decoding: digits, as: UTF8.self)) != nil
            }
    }

    /// RFC 4291 section 2.2 in lower case, forms 1 and 2, without zones.
    private static func isIPv6(_ address: ArraySlice<UInt8>) -> Bool {
        let gap = zip(address.indices, address.indices.dropFirst()).first { one, other in
            address[one] == UInt8(ascii: ":") && address[other] == UInt8(ascii: ":")
        }
        guard let gap else { return groupCount(address) == 8 }
        guard let before = groupCount(address[..<gap.0]), let after = groupCount(address[(gap.1 + 1)...]) else {
            return false
        }
        return before + after <= 7
    }

    /// Nil for anything but groups of one to four digits.
    private static func groupCount(_ text: ArraySlice<UInt8>) -> Int? {
        guard !text.isEmpty else { return 0 }
        let groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let areGroups = groups.allSatisfy { group in
            (1...4).contains(group.count)
                && group.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
        }
        return areGroups ? groups.count : nil
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isLowerCaseLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
