import Primitives
import Testing

@testable import PushService

struct RandomReserveTests {
    @Test func `gives no bytes twice, however many are asked for at a time`() {
        var random = RandomReserve()
        var ids: Set<[UInt8]> = []
        for _ in 0..<1_000 { ids.insert(random.bytes(count: 16)) }
        #expect(ids.count == 1_000)
        for count in [1, 15, RandomReserve.byteCount - 1, RandomReserve.byteCount, RandomReserve.byteCount + 1, 4_096] {
            let bytes = random.bytes(count: count + 16)
            #expect(bytes.count == count + 16)
            // 16 zero bytes come up once in 2^128: both ends were written.
            #expect(bytes.prefix(16) != [UInt8](repeating: 0, count: 16)[...])
            #expect(bytes.suffix(16) != [UInt8](repeating: 0, count: 16)[...])
        }
        #expect(random.bytes(count: 0).isEmpty)
    }
}
