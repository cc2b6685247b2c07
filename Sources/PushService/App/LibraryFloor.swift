import HTTP
import HTTPSClient
import Networking
import Primitives
import PushStore

/// Oldest accepted version of a C library. Older ones have remotely exploitable faults or lack functions;
/// distributions' fixes do not show.
struct LibraryFloor: Equatable, Sendable {
    let name: String
    /// Major, minor, patch.
    let oldest: [Int]

    static let openSSL = LibraryFloor(name: "OpenSSL", oldest: [3, 0, 0])
    /// First to count a peer's stream resets.
    static let nghttp2 = LibraryFloor(name: "nghttp2", oldest: [1, 51, 0])
    static let curl = LibraryFloor(name: "libcurl", oldest: [7, 84, 0])
    static let sqlite = LibraryFloor(name: "SQLite", oldest: [3, 37, 0])
    static let sodium = LibraryFloor(name: "libsodium", oldest: [1, 0, 18])

    static var loaded: [(floor: LibraryFloor, version: String)] {
        [
            (openSSL, LibraryVersion.openSSL), (nghttp2, LibraryVersion.nghttp2), (curl, CurlLibrary.version),
            (sqlite, SQLiteLibrary.version), (sodium, SodiumLibrary.version),
        ]
    }

    /// Advice; nil for a new enough version.
    func fault(of version: String) -> String? {
        let isNewEnough = Self.numbers(version).map { !$0.lexicographicallyPrecedes(oldest) } ?? false
        guard !isNewEnough else { return nil }
        let wanted = oldest.map { String($0) }.joined(separator: ".")
        return "\(name) \(version.isEmpty ? "of an unknown version" : version) is loaded, and \(wanted) is needed: "
            + "update it"
    }

    /// - Throws: `.part`, with every library that is too old.
    static func check(_ loaded: [(floor: LibraryFloor, version: String)] = loaded) throws(ServiceError) {
        let faults = loaded.compactMap { $0.floor.fault(of: $0.version) }
        guard faults.isEmpty else { throw .part(faults.joined(separator: "\n")) }
    }

    private static func numbers(_ version: String) -> [Int]? {
        let parts = version.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0.prefix { ("0"..."9").contains($0) }) }
        return numbers.count == 3 ? numbers : nil
    }
}
