/// Allows public addresses, and ranges that the configuration names.
///
/// - Source: the IANA special-purpose address registries (RFC 6890 and its updates).
package enum AddressFilter {
    private static let ranges: [(range: IPRange, refusal: AddressError)] = [
        ("0.0.0.0/8", AddressError.reserved), ("10.0.0.0/8", .privateUse), ("100.64.0.0/10", .carrierGradeNAT),
        ("127.0.0.0/8", .loopback), ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .privateUse),
        ("192.0.0.0/24", .reserved), ("192.0.2.0/24", .reserved), ("192.88.99.0/24", .reserved),
        ("192.168.0.0/16", .privateUse), ("198.18.0.0/15", .reserved), ("198.51.100.0/24", .reserved),
        ("203.0.113.0/24", .reserved), ("224.0.0.0/4", .multicast), ("240.0.0.0/4", .reserved),
        ("::1/128", .loopback), ("::/128", .reserved), ("fe80::/10", .linkLocal), ("fec0::/10", .privateUse),
        ("fc00::/7", .privateUse), ("ff00::/8", .multicast),
    ].compactMap { text, refusal in IPRange(text).map { ($0, refusal) } }

    /// Part of IPv6 for hosts; the rest is special or unassigned.
    private static let globalUnicast = IPRange("2000::/3")
    /// Teredo and the other protocol assignments, documentation twice, segment routing.
    private static let specialUnicast = ["2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16"].compactMap {
        IPRange($0)
    }

    /// Embedded IPv4 addresses and their offset: mapped, translated, NAT64, 6to4.
    private static let embedded: [(range: IPRange, offset: Int)] = [
        ("::ffff:0:0/96", 12), ("::ffff:0:0:0/96", 12), ("64:ff9b::/96", 12), ("2002::/16", 2),
    ].compactMap { text, offset in IPRange(text).map { ($0, offset) } }

    /// - Parameter allowed: a range of translated addresses does not allow the embedded ones.
    /// - Returns: nil if it may be connected to.
    package static func refusal(of address: IPAddress, allowing allowed: [IPRange] = []) -> AddressError? {
        let isAllowed = allowed.contains { $0.contains(address) }
        if let form = embedded.first(where: { $0.range.contains(address) }) {
            guard let inner = IPAddress(bytes: Array(address.bytes[form.offset..<form.offset + 4])) else {
                return .reserved
            }
            return refusal(of: inner, allowing: allowed) ?? (isAllowed ? nil : .translated)
        }
        if isAllowed { return nil }
        if let refusal = ranges.first(where: { $0.range.contains(address) })?.refusal { return refusal }
        guard !address.isIPv4 else { return nil }
        guard globalUnicast?.contains(address) == true, !specialUnicast.contains(where: { $0.contains(address) }) else {
            return .reserved
        }
        return nil
    }

    /// Checks all addresses of a name: one refused, a trap or a mistake, refuses all.
    package static func permitted(
        _ addresses: [IPAddress],
        allowing allowed: [IPRange] = []
    ) throws(AddressError) -> [IPAddress] {
        guard !addresses.isEmpty else { throw .none }
        for address in addresses {
            if let refusal = refusal(of: address, allowing: allowed) { throw refusal }
        }
        return addresses
    }
}

/// One word for a log line.
package enum AddressError: String, Error, Sendable {
    case loopback
    case privateUse = "private"
    case linkLocal = "link-local"
    case carrierGradeNAT = "carrier-grade-nat"
    case multicast
    case reserved
    /// IPv4 embedded in IPv6: its destination depends on the network.
    case translated
    case none
}
