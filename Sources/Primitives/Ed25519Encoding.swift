/// Ed25519's byte rules on which libraries differ: libsodium refuses small-order A and R; OpenSSL and CryptoKit do not
/// document it. A message must be genuine on all platforms or none.
enum Ed25519Encoding {
    /// True if y < p, and not of small order, whatever the sign.
    static func isAcceptablePoint(_ encoding: ArraySlice<UInt8>) -> Bool {
        guard encoding.count == 32, let last = encoding.last else { return false }
        var y = Array(encoding)
        y[31] = last & 0x7F
        return isBelow(y[...], fieldPrime) && !smallOrderY.contains(y)
    }

    /// True if S < L (RFC 8032 section 5.1.7).
    static func isBelowGroupOrder(_ scalar: ArraySlice<UInt8>) -> Bool {
        scalar.count == 32 && isBelow(scalar, groupOrder)
    }

    /// Little-endian. Not constant-time: the numbers are public.
    private static func isBelow(_ number: ArraySlice<UInt8>, _ limit: [UInt8]) -> Bool {
        for (digit, limitDigit) in zip(number.reversed(), limit.reversed()) where digit != limitDigit {
            return digit < limitDigit
        }
        return false
    }

    /// 2^255 - 19.
    private static let fieldPrime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    /// 2^252 + 27742317777372353535851937790883648493.
    private static let groupOrder: [UInt8] =
        [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        ] + [UInt8](repeating: 0, count: 15) + [0x10]

    /// y of orders that divide 8: 1 (order 1), -1 (order 2), 0 (order 4) and two of order 8.
    private static let smallOrderY: Set<[UInt8]> = [
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}
