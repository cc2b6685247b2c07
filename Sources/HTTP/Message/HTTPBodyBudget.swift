/// Owner of the memory that a request body takes.
package enum HTTPBodyShare: Hashable, Sendable {
    /// With a checked key; the owner is the key's.
    case keyed(owner: String)
    /// Without a key; the bytes name the client's network.
    case keyless(network: [UInt8])
}

/// Memory for request bodies: a reserve for requests with a key, a smaller part for all others. Lives on the server's
/// loop.
final class HTTPBodyBudget {
    private var keyed: SharedMemory<String>
    private var keyless: SharedMemory<[UInt8]>
    private(set) var highestByteCount = 0

    /// - Parameter network: Bytes for one network, out of `keyless`.
    init(keyed: Int, keyless: Int, network: Int) {
        self.keyed = SharedMemory(byteCountMax: keyed, byteCountOfOwnerMax: keyed)
        self.keyless = SharedMemory(byteCountMax: keyless, byteCountOfOwnerMax: network)
    }

    var byteCount: Int { keyed.byteCount + keyless.byteCount }

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

/// Memory shared without reservations. An owner gets more only while as much stays free as it then holds: it gets half
/// at most, and the next owner finds half as much as each has.
///
/// - Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998, with α =
///   1.
struct SharedMemory<Owner: Hashable> {
    private let byteCountMax: Int
    private let byteCountOfOwnerMax: Int
    private(set) var byteCount = 0
    /// By owner. Each holds at least a list's smallest capacity, which bounds the table.
    private var byteCounts: [Owner: Int] = [:]

    init(byteCountMax: Int, byteCountOfOwnerMax: Int) {
        self.byteCountMax = byteCountMax
        self.byteCountOfOwnerMax = byteCountOfOwnerMax
    }

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
