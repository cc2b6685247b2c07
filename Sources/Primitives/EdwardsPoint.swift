#if !canImport(CryptoKit)
/// Maps an encoded point of edwards25519 to the u-coordinate of Curve25519.
///
/// Only ever given public keys: y and u determine each other, and neither is secret. So the inverse may take a time that
/// depends on them.
enum EdwardsPoint {
    /// - Parameter encoded: 32 bytes (RFC 8032 section 5.1.2), not the neutral point.
    /// - Returns: u = (1 + y) / (1 - y): 32 bytes, canonical.
    /// - Source: RFC 7748 section 4.1.
    static func montgomeryU(ofEncoded encoded: [UInt8]) -> [UInt8] {
        let y = FieldElement(encoded)
        return ((.one + y) * (.one - y).inverse).bytes
    }
}

/// A number modulo p = 2^255 - 19, in five limbs of 51 bits and a little more.
private struct FieldElement {
    private var l0, l1, l2, l3, l4: UInt64

    static let one = FieldElement(1, 0, 0, 0, 0)
    private static let mask: UInt64 = 1 << 51 - 1

    private init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64) {
        self.l0 = l0
        self.l1 = l1
        self.l2 = l2
        self.l3 = l3
        self.l4 = l4
    }

    /// Four words of 64 bits, the lowest first; bit 255 is left out: in an encoded point that is the sign of x.
    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.init(
            words.0 & Self.mask,
            (words.0 >> 51 | words.1 << 13) & Self.mask,
            (words.1 >> 38 | words.2 << 26) & Self.mask,
            (words.2 >> 25 | words.3 << 39) & Self.mask,
            words.3 >> 12 & Self.mask
        )
    }

    /// 32 bytes, little-endian.
    init(_ bytes: [UInt8]) {
        precondition(bytes.count == 32)
        func word(_ offset: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in 0..<8 { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
            return word
        }
        self.init(words: (word(0), word(8), word(16), word(24)))
    }

    /// The one spelling below p.
    private var words: (UInt64, UInt64, UInt64, UInt64) {
        let reduced = carried.carried
        // 1 exactly when the number is p or more: adding 19 carries out of bit 255 then.
        var carry = (reduced.l0 &+ 19) &>> 51
        carry = (reduced.l1 &+ carry) &>> 51
        carry = (reduced.l2 &+ carry) &>> 51
        carry = (reduced.l3 &+ carry) &>> 51
        carry = (reduced.l4 &+ carry) &>> 51
        let l0 = reduced.l0 &+ 19 &* carry
        let l1 = reduced.l1 &+ l0 &>> 51
        let l2 = reduced.l2 &+ l1 &>> 51
        let l3 = reduced.l3 &+ l2 &>> 51
        let l4 = reduced.l4 &+ l3 &>> 51
        let (a, b, c, d) = (l0 & Self.mask, l1 & Self.mask, l2 & Self.mask, l3 & Self.mask)
        return (a | b << 51, b >> 13 | c << 38, c >> 26 | d << 25, d >> 39 | (l4 & Self.mask) << 12)
    }

    var bytes: [UInt8] {
        let words = words
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
        }
        return bytes
    }

    static func + (a: FieldElement, b: FieldElement) -> FieldElement {
        FieldElement(a.l0 &+ b.l0, a.l1 &+ b.l1, a.l2 &+ b.l2, a.l3 &+ b.l3, a.l4 &+ b.l4)
    }

    /// Adds 2p, so that no limb goes below zero; both are reduced to 51 bits a limb.
    static func - (a: FieldElement, b: FieldElement) -> FieldElement {
        let low: UInt64 = (1 << 52) - 38
        let high: UInt64 = (1 << 52) - 2
        return FieldElement(
            a.l0 &+ low &- b.l0,
            a.l1 &+ high &- b.l1,
            a.l2 &+ high &- b.l2,
            a.l3 &+ high &- b.l3,
            a.l4 &+ high &- b.l4
        )
    }

    /// Limbs up to 54 bits in, up to 51 and a carry out: each sum of products stays below 2^115.
    static func * (a: FieldElement, b: FieldElement) -> FieldElement {
        let (b1, b2, b3, b4) = (b.l1 &* 19, b.l2 &* 19, b.l3 &* 19, b.l4 &* 19)
        return FieldElement(
            Wide(a.l0, b.l0).adding(a.l1, b4).adding(a.l2, b3).adding(a.l3, b2).adding(a.l4, b1),
            Wide(a.l0, b.l1).adding(a.l1, b.l0).adding(a.l2, b4).adding(a.l3, b3).adding(a.l4, b2),
            Wide(a.l0, b.l2).adding(a.l1, b.l1).adding(a.l2, b.l0).adding(a.l3, b4).adding(a.l4, b3),
            Wide(a.l0, b.l3).adding(a.l1, b.l2).adding(a.l2, b.l1).adding(a.l3, b.l0).adding(a.l4, b4),
            Wide(a.l0, b.l4).adding(a.l1, b.l3).adding(a.l2, b.l2).adding(a.l3, b.l1).adding(a.l4, b.l0)
        )
    }

    var inverse: FieldElement { FieldElement(words: ModularInverse.inverse(of: words)) }

    /// Carries sums of products down to limbs; 2^255 is 19.
    private init(_ r0: Wide, _ r1: Wide, _ r2: Wide, _ r3: Wide, _ r4: Wide) {
        let s1 = r1.adding(r0.carry)
        let s2 = r2.adding(s1.carry)
        let s3 = r3.adding(s2.carry)
        let s4 = r4.adding(s3.carry)
        l0 = (r0.low & Self.mask) &+ s4.carry &* 19
        l1 = (s1.low & Self.mask) &+ (l0 &>> 51)
        l0 &= Self.mask
        l2 = s2.low & Self.mask
        l3 = s3.low & Self.mask
        l4 = s4.low & Self.mask
    }

    /// One pass of carries.
    private var carried: FieldElement {
        let c1 = l1 &+ (l0 &>> 51)
        let c2 = l2 &+ (c1 &>> 51)
        let c3 = l3 &+ (c2 &>> 51)
        let c4 = l4 &+ (c3 &>> 51)
        return FieldElement(
            (l0 & Self.mask) &+ 19 &* (c4 &>> 51),
            c1 & Self.mask,
            c2 & Self.mask,
            c3 & Self.mask,
            c4 & Self.mask
        )
    }
}

/// A sum of products. Not `UInt128`, which without optimization takes ten times as long.
private struct Wide {
    private(set) var low: UInt64
    private var high: UInt64

    init(_ a: UInt64, _ b: UInt64) {
        let product = a.multipliedFullWidth(by: b)
        low = product.low
        high = product.high
    }

    func adding(_ a: UInt64, _ b: UInt64) -> Wide {
        let product = a.multipliedFullWidth(by: b)
        var sum = adding(product.low)
        sum.high &+= product.high
        return sum
    }

    func adding(_ summand: UInt64) -> Wide {
        var sum = self
        let (low, isWrapped) = low.addingReportingOverflow(summand)
        sum.low = low
        sum.high &+= isWrapped ? 1 : 0
        return sum
    }

    /// Everything above the lowest 51 bits, which is less than 2^64.
    var carry: UInt64 { high &<< 13 | low &>> 51 }
}
#endif
