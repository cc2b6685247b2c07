import Envelope

/// First 8 bytes of a prekey's fingerprint: a lookup hint, no identity (protocol v1, rule 6).
package struct PrekeyID: Hashable, Sendable {
    package static let byteCount = EnvelopeHeader.prekeyIDByteCount

    package let bytes: [UInt8]

    /// - Returns: nil unless 8 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// 16 characters.
    package var hex: String {
        let characters = bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }
        return String(decoding: characters, as: UTF8.self)
    }

    /// - Returns: nil unless 16 lower-case digits: names are unique.
    package init?(hex: some Collection<UInt8>) {
        guard hex.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in hex {
            guard let digit = Self.digits.firstIndex(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        self.bytes = bytes
    }
}
