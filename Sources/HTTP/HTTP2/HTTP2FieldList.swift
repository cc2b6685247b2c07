import CNGHTTP2

/// Header fields in nghttp2's form. Reused by its session to avoid allocations.
@safe struct HTTP2FieldList {
    private var fields = unsafe [nghttp2_nv]()
    /// Our own fields, followed by the length's digits.
    private var own = Array(":status000content-length".utf8)
    private static let ownByteCount = 24
    private static let lengthNameByteCount = 14

    /// Lends `body` the fields for the call only: nghttp2 copies them.
    ///
    /// - Parameters:
    ///   - status: first field, of three digits; nil for a request.
    ///   - contentLength: last field; nil for none.
    mutating func lend<Result>(
        status: Int?,
        contentLength: Int? = nil,
        _ headers: borrowing HeaderBlock,
        _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        unsafe fields.removeAll(keepingCapacity: true)
        if let status { writeStatus(status) }
        let digitCount = contentLength.map { writeLength($0) } ?? 0
        var own: [UInt8] = []
        swap(&own, &self.own)
        defer { swap(&own, &self.own) }
        return unsafe own.withUnsafeBufferPointer { own in
            unsafe headers.bytes.withUnsafeBufferPointer { bytes in
                if status != nil { unsafe append(own, start: 0, nameByteCount: 7, valueByteCount: 3, .indexed) }
                for entry in headers.entries {
                    unsafe append(
                        bytes,
                        start: Int(entry.start),
                        nameByteCount: Int(entry.nameByteCount),
                        valueByteCount: Int(entry.valueByteCount),
                        entry.indexing
                    )
                }
                if contentLength != nil {
                    unsafe append(
                        own,
                        start: Self.ownByteCount - Self.lengthNameByteCount,
                        nameByteCount: Self.lengthNameByteCount,
                        valueByteCount: digitCount,
                        .indexed
                    )
                }
                return unsafe fields.withUnsafeBufferPointer { fields in unsafe body(fields) }
            }
        }
    }

    private mutating func append(
        _ bytes: UnsafeBufferPointer<UInt8>,
        start: Int,
        nameByteCount: Int,
        valueByteCount: Int,
        _ indexing: HeaderBlock.Indexing
    ) {
        let name = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress).map { unsafe $0 + start }
        let flags = indexing == .indexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
        unsafe fields.append(
            nghttp2_nv(
                name: name,
                value: name.map { unsafe $0 + nameByteCount },
                namelen: nameByteCount,
                valuelen: valueByteCount,
                flags: UInt8(flags.rawValue)
            )
        )
    }

    private mutating func writeStatus(_ status: Int) {
        own[7] = UInt8(48 + status / 100)
        own[8] = UInt8(48 + status / 10 % 10)
        own[9] = UInt8(48 + status % 10)
    }

    private mutating func writeLength(_ length: Int) -> Int {
        own.removeSubrange(Self.ownByteCount...)
        var rest = length
        repeat {
            own.append(UInt8(48 + rest % 10))
            rest /= 10
        } while rest > 0
        own[Self.ownByteCount...].reverse()
        return own.count - Self.ownByteCount
    }
}
