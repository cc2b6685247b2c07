import TestSupport
import Testing

@testable import Primitives

/// What a hash made of a key stands for the key: who has it makes codes and derives secrets as its owner does.
///
/// Finds what lies in memory that is not written over since. A stack is, by the search itself: to leave out the wipes alone
/// turns no test red here.
struct HMACSecrecyTests {
    /// The complement of the hash's eight words behind the key's block, as they lie in memory: inner, then outer. From
    /// FIPS 180-4's formulas alone, so that no state is made here that a search would find.
    private static let sha256: [[UInt32]] = [
        [
            0x831C_9DBB, 0xFD8C_0499, 0xEC03_6BC7, 0x0A8E_AE94, 0x9AD6_D328, 0x12C3_3FFA, 0x8215_D56A, 0xFBCB_D7C2,
        ],
        [
            0x4610_C969, 0xAB8A_5EDC, 0x671F_E547, 0xFD08_4F40, 0xFD40_D03A, 0x32FA_051F, 0xADDF_953F, 0x1BF7_4729,
        ],
    ]
    private static let sha512: [[UInt64]] = [
        [
            0xBB4A_AF33_2A53_6960, 0x1DFC_058A_FAC2_8E2C, 0x3B4B_79CA_7262_D1A2, 0xD341_6BC1_CD6B_4C05,
            0x8447_4EEF_0ED3_08B9, 0x76AF_1D05_FA28_0FB3, 0x94FE_B0C2_B0D5_585F, 0xC52C_EDF7_1A9F_D1A2,
        ],
        [
            0xD2BE_1EEC_C7C5_6646, 0x68E5_8CEB_0DCF_4750, 0xA321_D1F2_6E63_BFBB, 0xCD20_A55E_01E9_F9AF,
            0xF116_E278_E8DA_F91A, 0xFAD0_D26E_C003_C26A, 0xD2A6_9CCB_8C18_B44B, 0x4486_4C1C_3BD8_E829,
        ],
    ]

    private static func needles(_ states: [[some FixedWidthInteger]]) -> [[UInt8]] {
        states.map { words in
            words.flatMap { word in
                let bitWidth = word.bitWidth
                return stride(from: 0, to: bitWidth, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
            }
        }
    }

    private static func key() -> SecretBytes {
        SecretBytes(byteCount: 32) { span in
            for offset in 0..<32 {
                span.storeBytes(of: UInt8(truncatingIfNeeded: offset &* 73 &+ 19), toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    @Test func `no state of an HMAC stays in the process (abuse case 40)`() throws {
        let needles = Self.needles(Self.sha256)
        var found: [Bool] = []
        let key = Self.key()
        let code = SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            key.withBytes { key in
                HMACSHA256.code(key: key, into: &output) { code in
                    code.update("label")
                    // A search that fails finds nothing, which is said below.
                    found = needles.map { (try? ProcessMemory.contains(inverted: $0)) ?? false }
                }
            }
        }
        // They are what is looked for, while they are there.
        #expect(found == [true, true])
        for needle in needles { #expect(try !ProcessMemory.contains(inverted: needle)) }
        #expect(code.byteCount == 32)
    }

    @Test func `no state of a key derivation with SHA-512 stays in the process (abuse case 40)`() throws {
        let key = Self.key()
        let derived = try HKDFSHA512.expand(pseudorandomKey: key, info: [1], byteCount: 80)
        for needle in Self.needles(Self.sha512) { #expect(try !ProcessMemory.contains(inverted: needle)) }
        #expect(derived.byteCount == 80)
        // They are what is looked for, while one is there.
        var state = Provider.SHA512State()
        let block = SecretBytes(byteCount: 128) { span in
            key.withBytes { span.write($0, at: 0) }
            for offset in 0..<128 {
                let byte = offset < 32 ? UInt8(truncatingIfNeeded: offset &* 73 &+ 19) : 0
                span.storeBytes(of: byte ^ 0x36, toByteOffset: offset, as: UInt8.self)
            }
        }
        block.withBytes { state.update($0) }
        let isFound = try ProcessMemory.contains(inverted: Self.needles(Self.sha512)[0])
        state.wipe()
        #expect(isFound)
    }
}
