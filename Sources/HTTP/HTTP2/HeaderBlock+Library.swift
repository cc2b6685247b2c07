import CNGHTTP2

extension HeaderBlock {
    /// Lends `body` one field in nghttp2's form, for the call only.
    func lend<Result>(_ index: Int, _ body: (inout nghttp2_nv) -> Result) -> Result {
        let entry = entries[index]
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let name = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress).map { unsafe $0 + Int(entry.start) }
            let flags = entry.indexing == .indexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
            var field = unsafe nghttp2_nv(
                name: name,
                value: name.map { unsafe $0 + Int(entry.nameByteCount) },
                namelen: Int(entry.nameByteCount),
                valuelen: Int(entry.valueByteCount),
                flags: UInt8(flags.rawValue)
            )
            return unsafe body(&field)
        }
    }
}
