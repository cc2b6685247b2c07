import Transport

/// The proxies that the service believes about their clients' addresses.
package struct ProxyConfiguration: Equatable, Sendable {
    static let names = ["ranges", "field"]

    /// Their addresses; 1 or more.
    package let ranges: [IPRange]
    package let field: ForwardedField

    /// - Parameter address: of a connection.
    /// - Returns: whether a proxy of these has it.
    package func contains(_ address: IPAddress) -> Bool {
        let plain = address.withoutMapping
        return ranges.contains { $0.contains(plain) }
    }

    /// The client of a request that a proxy brought: from the nearest hop on, the first address that is no proxy's of these.
    ///
    /// - Parameters:
    ///   - proxy: the other end of the connection.
    ///   - fields: of the request.
    /// - Returns: nil where no hop is named; the last proxy that is certain, where what stands behind it names no address.
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
