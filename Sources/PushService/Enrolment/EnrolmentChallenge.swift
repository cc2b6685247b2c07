package import Envelope
package import Primitives

/// Challenge for App Attest: the time, random bytes and a code over them and the device's endpoint key.
///
/// No relay keeps it: each relay with the same key of tokens knows it again. The store takes of a device's challenges only
/// later ones, so each is good for one enrolment.
package struct EnrolmentChallenge: Equatable, Sendable {
    package static let byteCount = 32
    static let lifeSeconds: Int64 = 300

    package let bytes: [UInt8]
    package let time: Timestamp

    /// Hash that the app has attested or asserted: over this, the endpoint key's hash and the registration's bytes.
    func clientDataHash(keyHash: [UInt8], registration: [UInt8]) -> [UInt8] {
        SHA256.hash(Array("SealedPush/1 enrolment".utf8), bytes, keyHash, SHA256.hash(registration))
    }
}

/// Key under which a relay makes challenges, and knows them again.
package struct ChallengeKey: ~Copyable, Sendable {
    private let key: SecretBytes

    /// - Parameter key: 32 bytes.
    package init(_ key: consuming SecretBytes) { self.key = key }

    /// Makes a random one, for a relay without a key of tokens.
    package init() {
        var random = SystemRandom()
        key = random.secret(byteCount: 32)
    }

    func make(for keyHash: [UInt8], now: Timestamp, random: inout some RandomSource) -> EnrolmentChallenge {
        let head = (0..<8).map { UInt8(truncatingIfNeeded: now.milliseconds >> (56 - 8 * $0)) } + random.bytes(count: 8)
        return EnrolmentChallenge(bytes: head + code(head, keyHash), time: now)
    }

    /// - Returns: nil for bytes that no such relay made for this device in the last five minutes.
    func read(_ bytes: [UInt8], for keyHash: [UInt8], now: Timestamp) -> EnrolmentChallenge? {
        guard bytes.count == EnrolmentChallenge.byteCount else { return nil }
        let head = Array(bytes.prefix(16))
        guard SecretBytes.areEqual(Array(bytes.dropFirst(16)), code(head, keyHash)) else { return nil }
        let time = Timestamp(milliseconds: head.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        let end = time.advanced(by: .seconds(EnrolmentChallenge.lifeSeconds))
        // Relays' clocks may differ by seconds; none makes a challenge of a later minute.
        guard now < end, time < now.advanced(by: .seconds(60)) else { return nil }
        return EnrolmentChallenge(bytes: bytes, time: time)
    }

    private func code(_ head: [UInt8], _ keyHash: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        var elements = code.mutableSpan
        var output = unsafe elements.mutableBytes
        key.withBytes { key in
            HMACSHA256.code(key: key, into: &output) { code in
                code.update("SealedPush/1 enrolment challenge")
                code.update(head)
                code.update(keyHash)
            }
        }
        return Array(code.prefix(16))
    }
}
