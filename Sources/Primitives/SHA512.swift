/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    package static let byteCount = 64

    /// 64 bytes, over all parts in order.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var state = Provider.SHA512State()
        for part in parts { unsafe state.update(part.span.bytes) }
        var digest = [UInt8](repeating: 0, count: byteCount)
        var elements = digest.mutableSpan
        var output = unsafe elements.mutableBytes
        state.finish(into: &output)
        return digest
    }
}
