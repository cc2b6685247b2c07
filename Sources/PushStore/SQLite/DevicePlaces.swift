internal import Primitives

/// Where a device's row is in its table, which is in the order of places: one of four that follow from its tenant and its id.
///
///     63            48               2  0
///     0   tenant (15)    hash (46)   free
///
/// A look goes to the page with the four; no index leads there, and no page is read on the way that few looks share. A new
/// device takes the first that is free. The hash is keyed, so that nobody can choose ids that all want the same four: a fifth
/// device finds no place. By chance that comes to pass in one of 10^17 stores of a hundred million devices.
struct DevicePlaces: Sendable {
    /// Any 64 bits; tests bring some that collide.
    typealias Hash = @Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64

    static let keyByteCount = ShortHash.keyByteCount
    /// What `meta` calls the key.
    static let keyName = "places"
    private static let count: Int64 = 4
    private let hash: Hash

    init(hash: @escaping Hash) { self.hash = hash }

    /// - Parameter key: 16 random bytes, made with the file.
    init(key: [UInt8]) {
        let hash = ShortHash(key: key)
        self.init { tenant, device in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(8 + device.count)
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: tenant >> shift)) }
            bytes += device
            return hash(bytes)
        }
    }

    /// As the file says; nil for a file that is not brought forward yet.
    ///
    /// - Throws: `.damaged`, and what a disk does.
    init?(_ connection: SQLiteConnection) throws(StoreError) {
        let found = try connection.prepare("SELECT value FROM meta WHERE name = '\(Self.keyName)'").first([]) {
            $0.bytes(0)
        }
        guard let key = found else { return nil }
        guard key.count == Self.keyByteCount else { throw .damaged }
        self.init(key: key)
    }

    /// - Parameters:
    ///   - device: its id.
    ///   - tenant: the number of its tenant. Tenants with the same last 15 bits share a part of the table.
    /// - Returns: four places; the next one's are others, or the same.
    func places(of device: [UInt8], tenant: Int64) -> ClosedRange<Int64> {
        let first = Self.tenant(tenant).lowerBound | Int64(hash(tenant, device) >> 18) << 2
        return first...first + (Self.count - 1)
    }

    /// All places that a tenant's devices may have.
    static func tenant(_ number: Int64) -> ClosedRange<Int64> {
        let first = (number & 0x7FFF) << 48
        return first...first | 0xFFFF_FFFF_FFFF
    }

    /// - Parameters:
    ///   - places: of a device.
    ///   - isTaken: whether another one has a place.
    /// - Returns: the first that is free.
    /// - Throws: `.noPlace`.
    static func free(in places: ClosedRange<Int64>, _ isTaken: (Int64) -> Bool) throws(StoreError) -> Int64 {
        guard let free = places.first(where: { !isTaken($0) }) else { throw .noPlace }
        return free
    }
}
