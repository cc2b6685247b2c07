private import Glibc

/// How many connections a server has, and from where.
struct HTTPPlaces {
    var countMax: Int
    var countPerNetworkMax: Int
    private(set) var count = 0
    private var counts: [String: Int] = [:]

    init(countMax: Int, countPerNetworkMax: Int) {
        self.countMax = countMax
        self.countPerNetworkMax = countPerNetworkMax
    }

    /// Whether somebody from this address may come.
    func admits(_ host: String) -> Bool {
        count < countMax && counts[Self.network(host), default: 0] < countPerNetworkMax
    }

    mutating func enter(_ host: String) {
        count += 1
        counts[Self.network(host), default: 0] += 1
    }

    mutating func leave(_ host: String) {
        count -= 1
        let network = Self.network(host)
        let rest = counts[network, default: 1] - 1
        counts[network] = rest > 0 ? rest : nil
    }

    /// An IPv4 address, or the first 64 bits of one of IPv6: whoever has one of those has all of its network.
    static func network(_ host: String) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, host, &address) == 1 else { return host }
        return unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}
