#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import TestSupport
import Testing

@testable import Primitives

/// A keyed hash's state is as good as the key: its holder makes codes and derives secrets as the key's owner does.
///
/// The work runs on a stack that nothing overwrites before the search: a missing wipe of either state of HMAC-SHA256
/// fails a test. The hash of a long key and SHA-512's states lie where later frames of the same work overwrite them: a
/// missing wipe fails none there.
struct HMACSecrecyTests {
    /// The complements of a hash's eight words as they lie in memory, from FIPS 180-4's and RFC 2104's formulas alone,
    /// so that no state is made here that a search would find: behind the key's block, inner and outer, and at the end
    /// of the code over "label", inner and outer.
    private static let sha256: [[UInt32]] = [
        [
            0x831C_9DBB, 0xFD8C_0499, 0xEC03_6BC7, 0x0A8E_AE94, 0x9AD6_D328, 0x12C3_3FFA, 0x8215_D56A, 0xFBCB_D7C2,
        ],
        [
            0x4610_C969, 0xAB8A_5EDC, 0x671F_E547, 0xFD08_4F40, 0xFD40_D03A, 0x32FA_051F, 0xADDF_953F, 0x1BF7_4729,
        ],
        [
            0x6AFB_438B, 0xF109_CA5E, 0xD6B9_3361, 0xDE9B_A9F5, 0xCFBB_04B9, 0x7C89_4AD2, 0x44F3_364F, 0xDA05_449E,
        ],
        [
            0x6C49_E467, 0x8CDB_7130, 0x01A1_4346, 0x7022_53BC, 0x8346_0D71, 0x727D_406F, 0xBDDD_DAB0, 0xC566_4072,
        ],
    ]
    /// The complement of the words of SHA-256 over the key of 100 bytes.
    private static let longKey: [[UInt32]] = [
        [
            0x0BF1_7B32, 0x37C9_2E3F, 0x7C9E_78BD, 0xBA10_ED7F, 0x6828_B550, 0xE09F_E7C0, 0x757B_FA76, 0x6CCC_F6DB,
        ]
    ]
    /// The same as `sha256`; at the end of the first block of HKDF-Expand with the info 0x01.
    private static let sha512: [[UInt64]] = [
        [
            0xBB4A_AF33_2A53_6960, 0x1DFC_058A_FAC2_8E2C, 0x3B4B_79CA_7262_D1A2, 0xD341_6BC1_CD6B_4C05,
            0x8447_4EEF_0ED3_08B9, 0x76AF_1D05_FA28_0FB3, 0x94FE_B0C2_B0D5_585F, 0xC52C_EDF7_1A9F_D1A2,
        ],
        [
            0xD2BE_1EEC_C7C5_6646, 0x68E5_8CEB_0DCF_4750, 0xA321_D1F2_6E63_BFBB, 0xCD20_A55E_01E9_F9AF,
            0xF116_E278_E8DA_F91A, 0xFAD0_D26E_C003_C26A, 0xD2A6_9CCB_8C18_B44B, 0x4486_4C1C_3BD8_E829,
        ],
        [
            0xA26E_131F_62FB_3912, 0xE7E3_F78D_CE69_F8C8, 0x59C5_DB6E_F70B_B419, 0xA2C3_365D_2020_DF14,
            0xA52D_E3E6_6924_D148, 0xE8D1_7753_3F06_98AA, 0xF7DB_D719_44B7_5C5C, 0xC8B4_0991_4CC7_791F,
        ],
        [
            0x60C6_9F64_73DA_825C, 0xB7D2_9C7B_279A_703B, 0x4CCD_BB38_91B2_C511, 0x4F86_CE8F_C2BC_6C25,
            0xDCC1_CF49_7949_9F78, 0x1390_4284_79B8_87ED, 0x4BFE_C022_D1E5_BFC4, 0x0763_EE6E_6FE6_A9C9,
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

    private static func key(byteCount: Int = 32) -> SecretBytes {
        SecretBytes(byteCount: byteCount) { span in
            for offset in 0..<byteCount {
                span.storeBytes(of: UInt8(truncatingIfNeeded: offset &* 73 &+ 19), toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    private static func code(key: borrowing SecretBytes, feed: (inout HMACSHA256) -> Void) {
        let code = SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            key.withBytes { HMACSHA256.code(key: $0, into: &output, feed: feed) }
        }
        precondition(code.byteCount == HMACSHA256.byteCount)
    }

    /// Leaves the state behind the key's inner block unwiped.
    private static func leaveState<State: HashState>(_ state: State, blockByteCount: Int) {
        var state = state
        let block = SecretBytes(byteCount: blockByteCount) { span in
            key().withBytes { span.write($0, at: 0) }
            for offset in 0..<blockByteCount {
                let byte = offset < 32 ? UInt8(truncatingIfNeeded: offset &* 73 &+ 19) : 0
                span.storeBytes(of: byte ^ 0x36, toByteOffset: offset, as: UInt8.self)
            }
        }
        block.withBytes { state.update($0) }
    }

    /// Runs the work on a stack that is kept while it is searched.
    private static func found(_ needles: [[UInt8]], after work: @escaping @Sendable () -> Void) throws -> [Bool] {
        let stack = KeptStack(running: work)
        return try withExtendedLifetime(stack) { try needles.map { try ProcessMemory.contains(inverted: $0) } }
    }

    @Test func `no state of an HMAC stays in the process (abuse case 40)`() throws {
        let needles = Self.needles(Self.sha256)
        let left = try Self.found(needles) { Self.code(key: Self.key()) { $0.update("label") } }
        #expect(left == [false, false, false, false])
        let long = try Self.found(Self.needles(Self.longKey)) {
            Self.code(key: Self.key(byteCount: 100)) { $0.update("label") }
        }
        #expect(long == [false])
        // The search does find the states while they exist, and a state left on the stack.
        var present: [Bool] = []
        Self.code(key: Self.key()) { code in
            code.update("label")
            // A failed search finds nothing, which the expectation below reports.
            present = needles[..<2].map { (try? ProcessMemory.contains(inverted: $0)) ?? false }
        }
        #expect(present == [true, true])
        let kept = try Self.found([needles[0]]) { Self.leaveState(Provider.SHA256State(), blockByteCount: 64) }
        #expect(kept == [true])
    }

    @Test func `no state of a key derivation with SHA-512 stays in the process (abuse case 40)`() throws {
        let needles = Self.needles(Self.sha512)
        let left = try Self.found(needles) {
            do {
                let derived = try HKDFSHA512.expand(pseudorandomKey: Self.key(), info: [1], byteCount: 80)
                precondition(derived.byteCount == 80)
            } catch {
                preconditionFailure("80 bytes can be derived")
            }
        }
        #expect(left == [false, false, false, false])
        let kept = try Self.found([needles[0]]) { Self.leaveState(Provider.SHA512State(), blockByteCount: 128) }
        #expect(kept == [true])
    }
}
#endif
