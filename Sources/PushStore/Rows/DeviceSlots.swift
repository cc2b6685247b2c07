internal import Primitives

/// Device's four possible places, by tenant and id, in its table, which is in their order:
///
///     63            48               2  0
///     0   tenant (15)    hash (46)   free
///
/// A lookup seeks the page with all four; an index would add pages that few lookups share. A new device takes the first
/// free place. A fifth device has none: the keyed hash keeps ids from being chosen to collide, and by chance that
/// happens in one of 10^17 stores of a hundred million devices.
struct DeviceSlots: Sendable {
    /// Any 64 bits.
    typealias Hash = @Sendable (_ tenant: Int64, _ device: [UInt8]) -> UInt64

    static let keyByteCount = ShortHash.keyByteCount
    /// In `meta`.
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

    /// Reads the file's key; nil before migration.
    ///
    /// - Throws: `.damaged`, and disk errors.
    init?(_ connection: SQLiteConnection) throws(StoreError) {
        let found = try connection.prepare("SELECT value FROM meta WHERE name = '\(Self.keyName)'").first([]) {
            $0.bytes(0)
        }
        guard let key = found else { return nil }
        guard key.count == Self.keyByteCount else { throw .damaged }
        self.init(key: key)
    }

    /// - Parameter tenant: its number. Tenants with the same low 15 bits share a range.
    /// - Returns: four places; those of two devices are equal or disjoint.
    func places(of device: [UInt8], tenant: Int64) -> ClosedRange<Int64> {
        let first = Self.tenant(tenant).lowerBound | Int64(hash(tenant, device) >> 18) << 2
        return first...first + (Self.count - 1)
    }

    static func tenant(_ number: Int64) -> ClosedRange<Int64> {
        let first = (number & 0x7FFF) << 48
        return first...first | 0xFFFF_FFFF_FFFF
    }

    /// - Throws: `.noPlace`.
    static func free(in places: ClosedRange<Int64>, _ isTaken: (Int64) -> Bool) throws(StoreError) -> Int64 {
        guard let free = places.first(where: { !isTaken($0) }) else { throw .noPlace }
        return free
    }
}
