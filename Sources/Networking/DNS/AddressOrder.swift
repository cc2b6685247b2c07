import Glibc

enum AddressOrder {
    /// Alternates families, the resolver's favourite first, so that a dead family costs one delay, not one per address
    /// (RFC 8305 section 4). Rotates each by `offset`.
    static func candidates(_ addresses: [SocketAddress], offset: Int) -> [SocketAddress] {
        guard let favourite = addresses.first?.family else { return [] }
        let first = rotated(addresses.filter { $0.family == favourite }, by: offset)
        let second = rotated(addresses.filter { $0.family != favourite }, by: offset)
        var candidates: [SocketAddress] = []
        for index in 0..<max(first.count, second.count) {
            if index < first.count { candidates.append(first[index]) }
            if index < second.count { candidates.append(second[index]) }
        }
        return candidates
    }

    private static func rotated(_ addresses: [SocketAddress], by offset: Int) -> [SocketAddress] {
        guard !addresses.isEmpty else { return [] }
        let remainder = offset % addresses.count
        let start = remainder < 0 ? remainder + addresses.count : remainder
        return Array(addresses[start...] + addresses[..<start])
    }
}
