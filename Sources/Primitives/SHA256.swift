/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    /// 32 bytes, over all parts in order.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var state = Provider.SHA256State()
        for part in parts { unsafe state.update(part.span.bytes) }
        return digest(of: &state)
    }

    /// 32 bytes. The input may be secret and is not copied.
    package static func hash(_ bytes: RawSpan) -> [UInt8] {
        var state = Provider.SHA256State()
        state.update(bytes)
        return digest(of: &state)
    }

    private static func digest(of state: inout Provider.SHA256State) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        var elements = digest.mutableSpan
        var output = unsafe elements.mutableBytes
        state.finish(into: &output)
        return digest
    }
}
