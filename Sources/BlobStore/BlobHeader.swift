/// First 128 bytes of every file: its metadata, so that no second file can disagree. Written once, except for the
/// offset, last and rewritten alone.
struct BlobHeader: Equatable {
    static let byteCount = 128
    private static let magic = Array("SPBLOB1\n".utf8)
    /// Offset's position in the file.
    static let offsetPosition = 64

    let tenant: Tenant.Key
    /// Declared length of the data.
    let byteCount: UInt64
    /// Seconds since 1970.
    let created: UInt64
    /// The blob's; seconds since 1970.
    let expiry: UInt64
    /// Uploaded bytes safely on the disk.
    var offset: UInt64

    var bytes: [UInt8] {
        var bytes = Self.magic
        for number in [byteCount, created, expiry] { bytes += Self.bytes(number) }
        bytes += tenant.bytes
        bytes += Self.bytes(offset)
        return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
    }

    init(tenant: Tenant.Key, byteCount: UInt64, created: UInt64, expiry: UInt64, offset: UInt64 = 0) {
        self.tenant = tenant
        self.byteCount = byteCount
        self.created = created
        self.expiry = expiry
        self.offset = offset
    }

    /// Fails for bytes that are no header of this version.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        byteCount = Self.number(bytes[8..<16])
        created = Self.number(bytes[16..<24])
        expiry = Self.number(bytes[24..<32])
        tenant = Tenant.Key(bytes: Array(bytes[32..<64]))
        offset = Self.number(bytes[64..<72])
        guard offset <= byteCount, byteCount <= UInt64(Int64.max) - UInt64(Self.byteCount) else { return nil }
    }

    /// Big-endian.
    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
