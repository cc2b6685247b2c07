private import Platform

extension HTTPSRequest.Body {
    package init(bytes: [UInt8]) {
        let position = Position()
        self.init(byteCount: UInt64(bytes.count)) { span in
            position.take(span.byteCount, of: bytes.count) { index, count in
                unsafe span.withUnsafeMutableBytes { room in
                    unsafe room.copyBytes(from: bytes[index..<index + count])
                }
            }
        }
    }

    private final class Position: Sendable {
        private let index = Guarded(0)

        func take(_ room: Int, of byteCount: Int, _ copy: (Int, Int) -> Void) -> Int {
            index.withLock { index in
                let count = min(room, byteCount - index)
                copy(index, count)
                index += count
                return count
            }
        }
    }
}
