extension RawSpan {
    /// The byte at 0 ..< byteCount; anything else traps.
    package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// The bytes as C wants them: a pointer that is never nil, not even for no bytes.
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
    /// The bytes to write, as C wants them. Never empty here: every output has a fixed, positive size.
    mutating func withMutableBytePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress else {
                preconditionFailure("an output without room")
            }
            return unsafe body(start, buffer.count)
        }
    }

    /// Copies all of `source` to `offset` and after; what does not fit traps.
    package mutating func write(_ source: RawSpan, at offset: Int) {
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count])
                    .copyMemory(from: source)
            }
        }
    }
}
