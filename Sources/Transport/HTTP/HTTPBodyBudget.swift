/// Part of the memory for bodies that one request's body comes out of, and the owner that it counts for.
package enum HTTPBodyShare: Hashable, Sendable {
    /// Of a request whose key was checked; the owner is the key's.
    case keyed(owner: String)
    /// Of a request without a key; the bytes name the network that it came from.
    case keyless(network: [UInt8])
}

/// Memory for the bodies of all requests of a server: a reserve for requests with a key, which none without one can touch,
/// and a smaller part for the others. Lives on the server's loop.
final class HTTPBodyBudget {
    private var keyed: SharedMemory<String>
    private var keyless: SharedMemory<[UInt8]>
    private(set) var highestByteCount = 0

    /// - Parameters:
    ///   - keyed: bytes for requests whose key was checked.
    ///   - keyless: bytes for all others together.
    ///   - network: of those, bytes for one network.
    init(keyed: Int, keyless: Int, network: Int) {
        self.keyed = SharedMemory(byteCountMax: keyed, byteCountOfOwnerMax: keyed)
        self.keyless = SharedMemory(byteCountMax: keyless, byteCountOfOwnerMax: network)
    }

    var byteCount: Int { keyed.byteCount + keyless.byteCount }

    /// - Returns: whether there was so much left for this share.
    func take(_ count: Int, of share: HTTPBodyShare) -> Bool {
        let isTaken =
            switch share {
            case .keyed(let owner): keyed.take(count, of: owner)
            case .keyless(let network): keyless.take(count, of: network)
            }
        highestByteCount = max(highestByteCount, byteCount)
        return isTaken
    }

    func give(_ count: Int, of share: HTTPBodyShare) {
        switch share {
        case .keyed(let owner): keyed.give(count, of: owner)
        case .keyless(let network): keyless.give(count, of: network)
        }
    }
}

/// Memory that owners share without an agreement. An owner gets more only while at least as much stays free as it then holds:
/// one owner gets half at most, and however many there are, the next one finds half as much as each of them has.
///
/// - Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998, with α = 1.
struct SharedMemory<Owner: Hashable> {
    private let byteCountMax: Int
    private let byteCountOfOwnerMax: Int
    private(set) var byteCount = 0
    /// Of each owner that holds some. An owner holds a list's smallest capacity at least, which bounds the table.
    private var byteCounts: [Owner: Int] = [:]

    init(byteCountMax: Int, byteCountOfOwnerMax: Int) {
        self.byteCountMax = byteCountMax
        self.byteCountOfOwnerMax = byteCountOfOwnerMax
    }

    /// - Returns: whether it was granted, whole.
    mutating func take(_ count: Int, of owner: Owner) -> Bool {
        let held = byteCounts[owner, default: 0] + count
        guard held <= byteCountOfOwnerMax, held <= byteCountMax - byteCount - count else { return false }
        byteCounts[owner] = held
        byteCount += count
        return true
    }

    mutating func give(_ count: Int, of owner: Owner) {
        guard count > 0 else { return }
        let rest = byteCounts[owner, default: 0] - count
        precondition(rest >= 0, "given back twice")
        byteCounts[owner] = rest > 0 ? rest : nil
        byteCount -= count
    }
}
