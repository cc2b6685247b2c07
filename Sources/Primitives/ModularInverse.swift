#if !canImport(CryptoKit)
/// Inverses modulo p = 2^255 - 19 of public numbers, by the division steps of Bernstein and Yang, 62 at a time.
///
/// The time depends on the number: for what everybody may know only. It takes a third of what Fermat's way takes.
///
/// - Source: "Fast constant-time gcd computation and modular inversion" (2019), in the form with delta = 1/2 and
///   variable time; numbers are five limbs of 62 bits, the last one signed.
enum ModularInverse {
    private typealias Limbs = (Int64, Int64, Int64, Int64, Int64)

    private static let mask: Int64 = 1 << 62 - 1
    /// p in limbs: 2^255 - 19 = -19 + 2^7 × 2^248.
    private static let modulus: Limbs = (-19, 0, 0, 0, 1 << 7)
    /// The inverse of p modulo 2^62.
    private static let modulusInverse: UInt64 = {
        // Newton's way: each step doubles the number of right bits, from the three of -19 itself.
        let modulus = UInt64(bitPattern: -19)
        var inverse = modulus
        for _ in 0..<5 { inverse = inverse &* (2 &- modulus &* inverse) }
        return inverse & UInt64(bitPattern: mask)
    }()

    /// - Parameter words: a number below p that is not zero, four words, the lowest first.
    /// - Returns: its inverse below p, in the same form.
    static func inverse(of words: (UInt64, UInt64, UInt64, UInt64)) -> (UInt64, UInt64, UInt64, UInt64) {
        var f = modulus
        var g = limbs(words)
        var d: Limbs = (0, 0, 0, 0, 0)
        var e: Limbs = (1, 0, 0, 0, 0)
        var eta: Int64 = -1
        while (g.0 | g.1 | g.2 | g.3 | g.4) != 0 {
            let matrix = divisionSteps(&eta, UInt64(bitPattern: f.0), UInt64(bitPattern: g.0))
            updateCofactors(&d, &e, matrix)
            update(&f, &g, matrix)
        }
        // f is 1 or -1 now, and d its cofactor.
        return normalized(d, isNegated: f.4 < 0)
    }

    /// 2^62 times the product of 62 division steps' matrices.
    private struct Matrix {
        var u: Int64 = 1
        var v: Int64 = 0
        var q: Int64 = 0
        var r: Int64 = 1
    }

    private static func divisionSteps(_ eta: inout Int64, _ f0: UInt64, _ g0: UInt64) -> Matrix {
        var (f, g) = (f0, g0)
        var matrix = Matrix()
        var left = 62
        while true {
            // Zeros at the end of g are as many steps that only halve it.
            let zeros = min(g.trailingZeroBitCount, left)
            g &>>= UInt64(zeros)
            matrix.u &<<= Int64(zeros)
            matrix.v &<<= Int64(zeros)
            eta &-= Int64(zeros)
            left -= zeros
            if left == 0 { return matrix }
            let limit: Int
            let w: UInt64
            if eta < 0 {
                eta = -eta
                (f, g) = (g, 0 &- f)
                (matrix.u, matrix.q) = (matrix.q, 0 &- matrix.u)
                (matrix.v, matrix.r) = (matrix.r, 0 &- matrix.v)
                // As many bits of g can go at once as neither eta nor the batch ends before; six at most.
                limit = min(Int(eta) + 1, left)
                let bits = UInt64.max &>> UInt64(64 - limit) & 63
                w = f &* g &* (f &* f &- 2) & bits
            } else {
                limit = min(Int(eta) + 1, left)
                let bits = UInt64.max &>> UInt64(64 - limit) & 15
                let inverse = f &+ (((f &+ 1) & 4) &<< 1)
                w = (0 &- inverse) &* g & bits
            }
            g &+= f &* w
            matrix.q &+= matrix.u &* Int64(bitPattern: w)
            matrix.r &+= matrix.v &* Int64(bitPattern: w)
        }
    }

    /// (f, g) := matrix × (f, g) / 2^62, which is exact.
    private static func update(_ f: inout Limbs, _ g: inout Limbs, _ m: Matrix) {
        var cf = SignedWide(m.u, f.0).adding(m.v, g.0)
        var cg = SignedWide(m.q, f.0).adding(m.r, g.0)
        (cf, cg) = (cf.shifted, cg.shifted)
        cf = cf.adding(m.u, f.1).adding(m.v, g.1)
        cg = cg.adding(m.q, f.1).adding(m.r, g.1)
        let f1 = cf.limb, g1 = cg.limb
        cf = cf.shifted.adding(m.u, f.2).adding(m.v, g.2)
        cg = cg.shifted.adding(m.q, f.2).adding(m.r, g.2)
        let f2 = cf.limb, g2 = cg.limb
        cf = cf.shifted.adding(m.u, f.3).adding(m.v, g.3)
        cg = cg.shifted.adding(m.q, f.3).adding(m.r, g.3)
        let f3 = cf.limb, g3 = cg.limb
        cf = cf.shifted.adding(m.u, f.4).adding(m.v, g.4)
        cg = cg.shifted.adding(m.q, f.4).adding(m.r, g.4)
        let f4 = cf.limb, g4 = cg.limb
        f = (f1, f2, f3, f4, cf.shifted.low)
        g = (g1, g2, g3, g4, cg.shifted.low)
    }

    /// (d, e) := matrix × (d, e) / 2^62 modulo p, both between -2p and p.
    private static func updateCofactors(_ d: inout Limbs, _ e: inout Limbs, _ m: Matrix) {
        let (signD, signE) = (d.4 &>> 63, e.4 &>> 63)
        var md = (m.u & signD) &+ (m.v & signE)
        var me = (m.q & signD) &+ (m.r & signE)
        var cd = SignedWide(m.u, d.0).adding(m.v, e.0)
        var ce = SignedWide(m.q, d.0).adding(m.r, e.0)
        // Multiples of p that make the lowest 62 bits zero.
        let inverse = Int64(bitPattern: modulusInverse)
        md &-= (inverse &* cd.low &+ md) & mask
        me &-= (inverse &* ce.low &+ me) & mask
        cd = cd.adding(modulus.0, md).shifted
        ce = ce.adding(modulus.0, me).shifted
        cd = cd.adding(m.u, d.1).adding(m.v, e.1)
        ce = ce.adding(m.q, d.1).adding(m.r, e.1)
        let d1 = cd.limb, e1 = ce.limb
        cd = cd.shifted.adding(m.u, d.2).adding(m.v, e.2)
        ce = ce.shifted.adding(m.q, d.2).adding(m.r, e.2)
        let d2 = cd.limb, e2 = ce.limb
        cd = cd.shifted.adding(m.u, d.3).adding(m.v, e.3)
        ce = ce.shifted.adding(m.q, d.3).adding(m.r, e.3)
        let d3 = cd.limb, e3 = ce.limb
        cd = cd.shifted.adding(m.u, d.4).adding(m.v, e.4).adding(modulus.4, md)
        ce = ce.shifted.adding(m.q, d.4).adding(m.r, e.4).adding(modulus.4, me)
        let d4 = cd.limb, e4 = ce.limb
        d = (d1, d2, d3, d4, cd.shifted.low)
        e = (e1, e2, e3, e4, ce.shifted.low)
    }

    /// Negates if asked, and brings what lies between -2p and p to 0 ..< p.
    private static func normalized(_ d: Limbs, isNegated: Bool) -> (UInt64, UInt64, UInt64, UInt64) {
        var r = d
        func addModulusIfNegative() {
            guard r.4 < 0 else { return }
            r.0 &+= modulus.0
            r.4 &+= modulus.4
        }
        func carry() {
            r.1 &+= r.0 &>> 62
            r.0 &= mask
            r.2 &+= r.1 &>> 62
            r.1 &= mask
            r.3 &+= r.2 &>> 62
            r.2 &= mask
            r.4 &+= r.3 &>> 62
            r.3 &= mask
        }
        addModulusIfNegative()
        if isNegated { r = (0 &- r.0, 0 &- r.1, 0 &- r.2, 0 &- r.3, 0 &- r.4) }
        carry()
        addModulusIfNegative()
        carry()
        let a = (UInt64(r.0), UInt64(r.1), UInt64(r.2), UInt64(r.3), UInt64(r.4))
        return (a.0 | a.1 << 62, a.1 >> 2 | a.2 << 60, a.2 >> 4 | a.3 << 58, a.3 >> 6 | a.4 << 56)
    }

    private static func limbs(_ w: (UInt64, UInt64, UInt64, UInt64)) -> Limbs {
        let bits = UInt64(bitPattern: mask)
        return (
            Int64(w.0 & bits), Int64((w.0 >> 62 | w.1 << 2) & bits), Int64((w.1 >> 60 | w.2 << 4) & bits),
            Int64((w.2 >> 58 | w.3 << 6) & bits), Int64(w.3 >> 56)
        )
    }
}

/// A signed sum of products, 128 bits.
private struct SignedWide {
    private(set) var lowBits: UInt64
    private var high: Int64

    init(_ a: Int64, _ b: Int64) {
        let product = a.multipliedFullWidth(by: b)
        lowBits = product.low
        high = product.high
    }

    func adding(_ a: Int64, _ b: Int64) -> SignedWide {
        let product = a.multipliedFullWidth(by: b)
        var sum = self
        let (low, isWrapped) = lowBits.addingReportingOverflow(product.low)
        sum.lowBits = low
        sum.high = high &+ product.high &+ (isWrapped ? 1 : 0)
        return sum
    }

    /// The lowest 64 bits.
    var low: Int64 { Int64(bitPattern: lowBits) }
    /// The lowest 62.
    var limb: Int64 { low & (1 << 62 - 1) }
    /// Without the lowest 62.
    var shifted: SignedWide {
        var result = self
        result.lowBits = lowBits &>> 62 | UInt64(bitPattern: high) &<< 2
        result.high = high &>> 62
        return result
    }
}
#endif
