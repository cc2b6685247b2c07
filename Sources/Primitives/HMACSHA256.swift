/// HMAC-SHA256 (RFC 2104), fed in parts so that no secret is copied beside a label.
package struct HMACSHA256: ~Copyable {
    package static let byteCount = 32
    private static let blockByteCount = 64

    private var inner = Provider.SHA256State()
    private var outer = Provider.SHA256State()

    /// Computes one code of 32 bytes; `feed` supplies the message in order.
    package static func code(
        key: RawSpan,
        into output: inout MutableRawSpan,
        feed: (inout HMACSHA256) -> Void
    ) {
        precondition(output.byteCount == byteCount)
        var code = HMACSHA256()
        code.start(key)
        feed(&code)
        code.inner.finish(into: &output)
        // `output` holds the inner digest, not yet visible to others.
        code.outer.update(output.bytes)
        code.outer.finish(into: &output)
        // Both states contain the hashed key.
        code.inner.wipe()
        code.outer.wipe()
    }

    package mutating func update(_ bytes: RawSpan) { inner.update(bytes) }

    package mutating func update(_ bytes: [UInt8]) { unsafe update(bytes.span.bytes) }

    package mutating func update(byte: UInt8) {
        unsafe withUnsafeBytes(of: byte) { unsafe update($0.bytes) }
    }

    /// ASCII label.
    package mutating func update(_ label: StaticString) {
        let text = unsafe UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)
        unsafe update(text.bytes)
    }

    /// Not an initialiser: its result may be moved, leaving an unwiped place.
    private mutating func start(_ key: RawSpan) {
        // RFC 2104 section 2: a key longer than a block is hashed; shorter ones are zero-padded.
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.blockByteCount, alignment: 8) { buffer in
            unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
            var block = unsafe buffer.mutableBytes
            if key.byteCount > Self.blockByteCount {
                var hash = Provider.SHA256State()
                hash.update(key)
                let digest = SecretBytes(byteCount: Self.byteCount) { hash.finish(into: &$0) }
                hash.wipe()
                digest.withBytes { block.write($0, at: 0) }
            } else {
                block.write(key, at: 0)
            }
            unsafe Self.mask(buffer, with: 0x36)
            unsafe inner.update(buffer.bytes)
            unsafe Self.mask(buffer, with: 0x36 ^ 0x5C)
            unsafe outer.update(buffer.bytes)
            unsafe Provider.wipe(buffer)
        }
    }

    private static func mask(_ block: UnsafeMutableRawBufferPointer, with byte: UInt8) {
        for index in block.indices { unsafe block[index] ^= byte }
    }
}
