extension RawSpan {
    /// Traps outside 0 ..< byteCount.
    package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Never nil, even for no bytes.
    func withBytePointer<Result>(_ body: (UnsafePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeBytes { buffer in
            guard let start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress else {
                var nothing: UInt8 = 0
                return unsafe body(&nothing, 0)
            }
            return unsafe body(start, buffer.count)
        }
    }
}

extension MutableRawSpan {
    /// For outputs, which all have a positive size.
    mutating func withMutableBytePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress else {
                preconditionFailure("an output without room")
            }
            return unsafe body(start, buffer.count)
        }
    }

    /// Traps if `source` does not fit.
    package mutating func write(_ source: RawSpan, at offset: Int) {
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count])
                    .copyMemory(from: source)
            }
        }
    }
}
