/// Sixteen bytes at a time; most of a body is one long text.
typealias ByteBlock = SIMD16<UInt8>

extension SIMD16<UInt8> {
    static var byteCount: Int { 16 }

    /// - Precondition: sixteen bytes from `offset` on.
    init(_ bytes: RawSpan, at offset: Int) {
        self = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Self.self)
    }

    func isWithin(_ first: Unicode.Scalar, _ last: Unicode.Scalar) -> SIMDMask<SIMD16<Int8>> {
        let (first, last) = (UInt8(ascii: first), UInt8(ascii: last))
        return self &- Self(repeating: first) .<= Self(repeating: last - first)
    }

    func isEqual(_ character: Unicode.Scalar) -> SIMDMask<SIMD16<Int8>> {
        self .== Self(repeating: UInt8(ascii: character))
    }

    /// Bytes that need an escape in a JSON string (RFC 8259 section 7).
    var isNotPlainJSON: SIMDMask<SIMD16<Int8>> {
        isEqual("\"") .| isEqual("\\") .| (self .< Self(repeating: 0x20))
    }

    var isASCII: Bool {
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & 0x8080_8080_8080_8080 == 0
    }
}

extension SIMDMask<SIMD16<Int8>> {
    var isEmpty: Bool {
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return halves[0] | halves[1] == 0
    }
}
