/// Header field reading without strings or arrays.
extension Span where Element == UInt8 {
    package func holds(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count else { return false }
        for offset in indices where self[offset] != bytes[offset] { return false }
        return true
    }

    package func starts(with prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        for offset in prefix.indices where self[offset] != prefix[offset] { return false }
        return true
    }
}

extension Array where Element == UInt8 {
    package init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for offset in span.indices { append(span[offset]) }
    }
}
