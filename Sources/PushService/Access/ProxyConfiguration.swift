import HTTP

/// Proxies whose reports are trusted.
package struct ProxyConfiguration: Equatable, Sendable {
    static let names = ["ranges", "field"]

    /// 1 or more.
    package let ranges: [IPRange]
    package let field: ForwardedField

    package func contains(_ address: IPAddress) -> Bool {
        let plain = address.withoutMapping
        return ranges.contains { $0.contains(plain) }
    }

    /// First address, from the nearest hop on, of no trusted proxy.
    ///
    /// - Returns: nil if no hop is reported; the last certain proxy if the one behind it has no address.
    func client(behind proxy: IPAddress, _ fields: HeaderBlock) -> IPAddress? {
        let hops = field.hops(fields)
        guard !hops.isEmpty else { return nil }
        var client = proxy
        for hop in hops {
            guard let hop else { break }
            client = hop
            guard contains(hop) else { break }
        }
        return client
    }
}
