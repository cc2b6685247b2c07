internal import Envelope

/// Value of `apns-collapse-id`: the newest push with it replaces earlier ones on the device.
///
/// - Source: "Sending notification requests to APNs", `apns-collapse-id`: "must not exceed 64 bytes".
public struct CollapseID: Hashable, Sendable {
    /// Maximum in bytes of UTF-8, not characters.
    public static let byteCountMax = 64

    /// 1 ... `byteCountMax` bytes without control characters.
    public let bytes: [UInt8]

    /// - Throws: `.collapseIDEmpty`, `.collapseIDTooLong`, `.collapseIDCharacter`.
    public init(bytes: [UInt8]) throws(APNSError) {
        guard !bytes.isEmpty else { throw .collapseIDEmpty }
        guard bytes.count <= Self.byteCountMax else {
            throw .collapseIDTooLong(byteCount: bytes.count, byteCountMax: Self.byteCountMax)
        }
        for (offset, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x7F {
            throw .collapseIDCharacter(offset: offset)
        }
        self.bytes = bytes
    }

    /// - Throws: `.collapseIDEmpty`, `.collapseIDTooLong`, `.collapseIDCharacter`.
    public init(_ text: String) throws(APNSError) { try self.init(bytes: Array(text.utf8)) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}
