#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Testing

@testable import Primitives

struct ShortHashTests {
    /// Key 00 … 0f, messages 00 … of so many bytes: the reference implementation's `vectors_sip64`.
    @Test(
        arguments: [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (8, 0x93F5_F579_9A93_2462),
            (15, 0xA129_CA61_49BE_45E5),
        ] as [(Int, UInt64)]
    )
    func `SipHash-2-4 gives its authors' values`(_ byteCount: Int, _ expected: UInt64) {
        let hash = ShortHash(key: Array(0..<16))
        #expect(hash(Array((0..<byteCount).map { UInt8($0) })) == expected)
    }
}
#endif
