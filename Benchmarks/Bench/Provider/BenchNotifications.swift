private import APNS
internal import APNSProvider

/// A chat back end's notifications: all to one app, each to another device with its own id and body. Made when they are
/// sent, so that a million of them take no memory.
struct BenchNotifications: Sendable {
    private static let digits = Array("0123456789abcdef".utf8)
    private static let start = Array(#"{"aps":{"alert":"","mutable-content":1},"sealed":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    private let topic: Topic
    private let template: [UInt8]

    /// - Parameter payloadByteCount: One of `payloadByteCounts`.
    /// - Throws: `.operationFailed` for any other.
    init(payloadByteCount: Int) throws(BenchError) {
        do { topic = try Topic("com.example.chat") } catch { throw .operationFailed }
        let fillByteCount = payloadByteCount - Self.start.count - Self.end.count
        guard Self.payloadByteCounts.contains(payloadByteCount) else { throw .operationFailed }
        template = Self.start + [UInt8](repeating: UInt8(ascii: "A"), count: fillByteCount) + Self.end
    }

    /// From the shortest body with room for a number to Apple's longest.
    static let payloadByteCounts = start.count + 16 + end.count...4_096

    subscript(index: Int) -> PushNotification {
        var random = Mixer(state: UInt64(index))
        let (high, low) = (random.next(), random.next())
        var id: InlineArray<16, UInt8> = .init(repeating: 0)
        for offset in 0..<8 {
            id[offset] = UInt8(truncatingIfNeeded: high >> (8 * offset))
            id[8 + offset] = UInt8(truncatingIfNeeded: low >> (8 * offset))
        }
        let token = unsafe [UInt8](unsafeUninitializedCapacity: 32) { token, count in
            for word in 0..<4 {
                let bits = random.next()
                for offset in 0..<8 {
                    unsafe token[8 * word + offset] = UInt8(truncatingIfNeeded: bits >> (8 * offset))
                }
            }
            count = 32
        }
        var payload = template
        for offset in 0..<16 {
            payload[Self.start.count + offset] = Self.digits[Int(truncatingIfNeeded: high >> (4 * offset)) & 15]
        }
        return PushNotification(
            id: APNSID(bytes: id.span),
            deviceToken: Self.deviceToken(token),
            topic: topic,
            priority: .immediate,
            expiration: Expiration(unixSeconds: 4_102_444_800),
            payload: payload
        )
    }

    private static func deviceToken(_ bytes: [UInt8]) -> DeviceToken {
        do { return try DeviceToken(bytes: bytes) } catch { preconditionFailure("32 bytes are a device token") }
    }

    /// SplitMix64: the same notification for the same number in every run.
    private struct Mixer {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }
}
