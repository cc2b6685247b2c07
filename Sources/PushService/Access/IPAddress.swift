import Platform

package struct IPAddress: Hashable, Sendable {
    /// 4 or 16, in network order.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Strict form of each family (RFC 4291 for IPv6); refuses `127.1`, `0x7f.1` and `2130706433`.
    package init?(_ text: String) {
        // C would end the text at a NUL.
        guard (2...45).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = unsafe withUnsafeBytes(of: &v4) { unsafe Array($0) }
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        bytes = unsafe withUnsafeBytes(of: &v6) { unsafe Array($0) }
    }

    package var isIPv4: Bool { bytes.count == 4 }

    /// Unit of rate limits: an IPv4 address, or a household's 64 bits of IPv6. `::ffff:192.0.2.1` counts as IPv4: all
    /// mapped ones share 64 bits.
    package var client: IPAddress {
        let plain = withoutMapping
        guard !plain.isIPv4 else { return plain }
        return IPAddress(bytes: Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8)) ?? self
    }

    package var withoutMapping: IPAddress {
        guard !isIPv4, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return self }
        return IPAddress(bytes: Array(bytes[12...])) ?? self
    }

    /// IPv4 address, or the most that a household gets: 56 bits of IPv6.
    package var network: [UInt8] {
        let plain = withoutMapping
        return plain.isIPv4 ? plain.bytes : Array(bytes[..<7])
    }
}

/// `10.0.0.0/8`
package struct IPRange: Hashable, Sendable {
    package let base: IPAddress
    package let bitCount: Int

    /// Address, slash and number of bits; all further bits must be zero.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let base = IPAddress(String(parts[0])), (1...3).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let bitCount = Int(parts[1]), bitCount <= base.bytes.count * 8
        else { return nil }
        self.base = base
        self.bitCount = bitCount
        guard Self.masked(base.bytes, bitCount) == base.bytes else { return nil }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count && Self.masked(address.bytes, bitCount) == base.bytes
    }

    private static func masked(_ bytes: [UInt8], _ bitCount: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(bitCount - index * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
