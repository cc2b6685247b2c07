import CNGHTTP2

/// A message's header fields as nghttp2 takes them. Kept by its session, so that each message need not allocate anew.
@safe struct HTTP2FieldList {
    private var fields = unsafe [nghttp2_nv]()

    /// Lends `body` the fields, `:status` first if there is one. nghttp2 copies names and values before it returns, so
    /// they need to stay in place no longer.
    ///
    /// - Parameters:
    ///   - status: three digits; nil for a request.
    ///   - headers: the other fields, in order.
    ///   - body: gets pointers that are valid during the call only.
    /// - Returns: what `body` returns.
    mutating func lend<Result>(
        status: Int?,
        _ headers: borrowing HeaderBlock,
        _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        unsafe fields.removeAll(keepingCapacity: true)
        let statusField: [UInt8] = status.map { Array(":status".utf8) + Self.digits($0) } ?? []
        return unsafe statusField.withUnsafeBufferPointer { statusField in
            unsafe headers.bytes.withUnsafeBufferPointer { bytes in
                if !statusField.isEmpty {
                    unsafe append(statusField, start: 0, nameByteCount: 7, valueByteCount: 3, .indexed)
                }
                for entry in headers.entries {
                    unsafe append(
                        bytes,
                        start: Int(entry.start),
                        nameByteCount: Int(entry.nameByteCount),
                        valueByteCount: Int(entry.valueByteCount),
                        entry.indexing
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

    private static func digits(_ status: Int) -> [UInt8] {
        [UInt8(48 + status / 100), UInt8(48 + status / 10 % 10), UInt8(48 + status % 10)]
    }
}
