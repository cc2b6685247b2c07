package import APNS
package import Envelope
package import Primitives

extension APNSID {
    /// Makes an increasing id: neighbours in time are neighbours in an index, several times cheaper than random ids.
    ///
    /// - Source: RFC 9562 section 5.7 (UUID version 7).
    package static func timeOrdered(now: Timestamp, random: inout some RandomSource) -> APNSID {
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        random.fill(&raw)
        for offset in 0..<6 { bytes[offset] = UInt8(truncatingIfNeeded: now.milliseconds >> UInt64(40 - 8 * offset)) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        return APNSID(bytes: bytes.span)
    }

    /// Its time; nil for another UUID version.
    var made: Timestamp? {
        let bytes = bytes
        guard bytes[6] >> 4 == 7 else { return nil }
        return Timestamp(milliseconds: bytes[..<6].reduce(0) { $0 << 8 | UInt64($1) })
    }
}
