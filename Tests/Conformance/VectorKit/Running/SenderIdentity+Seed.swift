import Primitives
package import Sealing

extension SenderIdentity {
    /// A sender with a given secret: for vectors only.
    package init(seed: [UInt8]) {
        var random = FixedRandom(bytes: seed)
        self.init(random: &random)
    }
}

/// Gives bytes, in order, as if they were drawn.
struct FixedRandom: RandomSource {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func fill(_ span: inout MutableRawSpan) {
        precondition(position + span.byteCount <= bytes.count)
        for offset in 0..<span.byteCount {
            span.storeBytes(of: bytes[position + offset], toByteOffset: offset, as: UInt8.self)
        }
        position += span.byteCount
    }
}
