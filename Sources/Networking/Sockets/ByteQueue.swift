/// Byte queue in one reused allocation.
@safe package struct ByteQueue: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0

    /// An emptied queue with more than twice this capacity frees its memory.
    private static let keptByteCount = 1 << 16

    private var capacity: Int { unsafe storage.count }

    package init() {
        unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    deinit {
        unsafe storage.deallocate()
    }

    package var byteCount: Int { tail - head }
    package var isEmpty: Bool { tail == head }

    package mutating func append(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return }
        reserve(bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: storage[tail...]).copyMemory(from: source)
        }
        tail += bytes.count
    }

    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let readable = unsafe UnsafeRawBufferPointer(rebasing: storage[head..<tail])
        return try body(unsafe readable.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Lends at least `byteCount` free bytes at the end; `body` returns the number it filled.
    mutating func fill(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(byteCount)
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[tail...])
        let filled = unsafe body(free)
        precondition(filled >= 0 && filled <= free.count)
        tail += filled
    }

    package mutating func removeFirst(_ byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= self.byteCount)
        head += byteCount
        guard isEmpty else {
            // Moved while few bytes are left: at the memory's end there may be many.
            if self.byteCount <= head / 8 { moveToFront() }
            return
        }
        head = 0
        tail = 0
        if capacity > 2 * Self.keptByteCount {
            unsafe storage.deallocate()
            unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
    }

    package mutating func removeAll() {
        removeFirst(byteCount)
    }

    private mutating func reserve(_ byteCountNeeded: Int) {
        guard capacity - tail < byteCountNeeded else { return }
        let byteCount = self.byteCount
        if byteCount + byteCountNeeded <= capacity, head >= capacity / 2 { return moveToFront() }
        let grownByteCount = max(4096, 2 * capacity, byteCount + byteCountNeeded)
        let grown = UnsafeMutableRawBufferPointer.allocate(byteCount: grownByteCount, alignment: 16)
        unsafe grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[head..<tail]))
        unsafe storage.deallocate()
        unsafe storage = grown
        head = 0
        tail = byteCount
    }

    private mutating func moveToFront() {
        unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[head..<tail]))
        (head, tail) = (0, byteCount)
    }
}

/// Loop's read buffers; every channel leaves them empty.
@safe package final class ReadScratch {
    package static let byteCount = 1 << 16

    package let ciphertext = UnsafeMutableRawBufferPointer.allocate(byteCount: ReadScratch.byteCount, alignment: 16)
    var plaintext = ByteQueue()
    package var frames = ByteQueue()

    deinit {
        unsafe ciphertext.deallocate()
    }
}
