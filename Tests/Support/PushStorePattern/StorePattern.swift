package import APNS
package import Envelope
import Primitives
package import PushStore
import TestSupport

/// Content for the tests and the probe: everything follows from a number, so that a reader can check it.
package enum StorePattern {
    /// Far from other tests' seeds: a secret that another test searches for would be found here.
    private static let seed: UInt64 = 0x5374_6F72_6550_6174
    /// 2026-11-01.
    package static let start = Timestamp(milliseconds: 1_793_491_200_000)

    package static func key(_ byte: UInt8 = 7) throws(StoreError) -> StoreKey {
        try StoreKey(
            SecretBytes(byteCount: StoreKey.byteCount) { span in
                for offset in 0..<span.byteCount {
                    span.storeBytes(of: byte &+ UInt8(offset), toByteOffset: offset, as: UInt8.self)
                }
            }
        )
    }

    package static func tenant(_ number: Int) throws -> TenantID { try TenantID("tenant \(number)") }

    package static func device(_ number: Int) throws -> DeviceID { try DeviceID("device \(number)") }

    package static func topic() throws -> Topic { try Topic("com.example.chat") }

    package static func apnsID(_ number: UInt64) -> APNSID {
        var random = SeededRandom(seed: seed &+ number)
        return APNSID.timeOrdered(now: start, random: &random)
    }

    /// Some hundred bytes that follow from a number.
    package static func payload(_ number: UInt64, byteCount: Int = 300) -> [UInt8] {
        var random = SeededRandom(seed: seed &+ number)
        return random.bytes(count: byteCount)
    }

    package static func entry(
        _ number: UInt64,
        device: Int? = nil,
        lane: Lane = .normal,
        deadline: Timestamp = start.advanced(by: .seconds(86_400)),
        attemptLimit: Int? = nil,
        byteCount: Int = 300
    ) throws -> NewEntry {
        NewEntry(
            device: try Self.device(device ?? Int(number % 97)),
            topic: try topic(),
            apnsID: apnsID(number),
            collapseID: number % 3 == 0 ? try CollapseID("talk \(number % 5)") : nil,
            lane: lane,
            pushType: .alert,
            priority: .immediate,
            expiration: Expiration(unixSeconds: deadline.milliseconds / 1_000),
            deadline: deadline,
            attemptLimit: attemptLimit,
            payload: payload(number, byteCount: byteCount),
            trace: Trace(bytes: Array(payload(number &+ 1, byteCount: 16)))
        )
    }

    /// Receipt hash of an entry: 32 bytes.
    package static func receiptHash(of id: APNSID) -> [UInt8] { id.bytes + id.bytes.reversed() }

    package static func idempotency(_ text: String, body: UInt64 = 0) throws -> Idempotency {
        try Idempotency(key: Array(text.utf8), digest: payload(body, byteCount: 32))
    }

    package static func registration(
        _ number: Int,
        tenant: Int = 1,
        version: UInt64 = 1,
        environment: APNSEnvironment = .production
    ) throws -> Device.Registration {
        Device.Registration(
            key: DeviceKey(tenant: try Self.tenant(tenant), device: try device(number)),
            topic: try topic(),
            environment: environment,
            token: try token(number, version: version),
            bundle: payload(version, byteCount: 200),
            language: "de-CH",
            region: "CH",
            appVersion: "1.\(version)"
        )
    }

    package static func token(_ number: Int, version: UInt64 = 1) throws -> DeviceToken {
        try DeviceToken(bytes: payload(UInt64(number) << 32 | version, byteCount: 32))
    }
}
