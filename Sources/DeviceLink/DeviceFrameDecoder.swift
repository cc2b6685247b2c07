/// Splits a connection's byte stream into frames. No I/O; buffers one unfinished frame and the bytes appended behind
/// it.
package struct DeviceFrameDecoder {
    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    /// Appends received bytes, in pieces of any size.
    package mutating func append(_ bytes: Span<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Takes the next frame; `nil` until more bytes come. After an error the stream is unusable.
    ///
    /// - Throws: `.frameLength` as soon as the length is known, before the frame is buffered; errors of a frame.
    package mutating func next() throws(DeviceLinkError) -> DeviceFrame? {
        guard buffer.count - start >= DeviceFrame.lengthByteCount else { return nil }
        let byteCount = buffer[start..<start + DeviceFrame.lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
        guard (1...DeviceFrame.byteCountMax).contains(byteCount) else {
            throw .frameLength(byteCount: byteCount, byteCountMax: DeviceFrame.byteCountMax)
        }
        let end = start + DeviceFrame.lengthByteCount + byteCount
        guard buffer.count >= end else { return nil }
        let frame = try DeviceFrame(contents: buffer[start + DeviceFrame.lengthByteCount..<end])
        start = end
        return frame
    }
}
