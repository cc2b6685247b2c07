@testable import HTTP
@testable import Networking

extension Array where Element == UInt8 {
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension ByteQueue {
    mutating func takeAll() -> [UInt8] {
        let bytes = withBytes { Array(copying: $0) }
        removeAll()
        return bytes
    }
}

/// xorshift64*: small, seeded, the same everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed | 1
    }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

extension HTTP2Session {
    func receive(_ bytes: [UInt8], now: MonotonicTime) throws(HTTP2Error) {
        try receive(bytes.span, now: now)
    }
}

extension TLSSession {
    mutating func receive(_ bytes: [UInt8], into plaintext: inout ByteQueue) throws(TLSError) {
        try receive(bytes.span, into: &plaintext)
    }

    mutating func send(_ bytes: [UInt8]) throws(TLSError) {
        try send(bytes.span)
    }
}
