private import Envelope
private import HPKE
private import Keys
private import Opening
private import Primitives
private import Sealing

package struct CryptoBench: ~Copyable {
    /// The fan-out of one message.
    package static let recipientCount = 1_000
    private static let frameByteCount = PushClass.alert.frameByteCount(.x25519)

    private let rounds: Int
    private var random = SystemRandom()

    /// - Parameter rounds: 1 or more; figures are medians over them.
    package init(rounds: Int) { self.rounds = max(1, rounds) }

    package mutating func comparisons() throws(BenchError) -> [Comparison] {
        [
            try hpkeSeal(byteCount: 200),
            try hpkeOpen(byteCount: 200),
            try hpkeSeal(byteCount: Self.frameByteCount),
            try hpkeOpen(byteCount: Self.frameByteCount),
            try messageSeal(),
            try messageOpen(),
            try fanOut(),
        ]
    }

    private mutating func hpkeSeal(byteCount: Int) throws(BenchError) -> Comparison {
        let recipient = X25519PrivateKey(random: &random).publicKey
        let (info, plaintext) = (random.bytes(count: SodiumCall.infoByteCount), random.bytes(count: byteCount))
        var failureCount = 0
        var source = random
        let comparison = Comparison(
            "HPKE seal, \(byteCount) bytes",
            aimPerMille: 800,
            rounds: rounds,
            ours: {
                do {
                    _ = try HPKE.seal(plaintext, to: recipient, info: info, random: &source)
                } catch {
                    failureCount += 1
                }
            },
            against: [
                .base, .agreement, .keySchedule(infoByteCount: SodiumCall.infoByteCount), .seal(byteCount: byteCount),
            ]
        )
        return try checked(comparison, failureCount)
    }

    private mutating func hpkeOpen(byteCount: Int) throws(BenchError) -> Comparison {
        let recipient = X25519PrivateKey(random: &random, storage: .guarded)
        let (info, plaintext) = (random.bytes(count: SodiumCall.infoByteCount), random.bytes(count: byteCount))
        let sealed: (encapsulatedKey: [UInt8], ciphertext: [UInt8])
        do {
            sealed = try HPKE.seal(plaintext, to: recipient.publicKey, info: info, random: &random)
        } catch {
            throw .operationFailed
        }
        var failureCount = 0
        let comparison = Comparison(
            "HPKE open, \(byteCount) bytes",
            aimPerMille: 1_100,
            rounds: rounds,
            ours: {
                do {
                    _ = try HPKE.open(
                        sealed.ciphertext[...],
                        encapsulatedKey: sealed.encapsulatedKey,
                        with: recipient,
                        info: info
                    )
                } catch {
                    failureCount += 1
                }
            },
            against: [.agreement, .keySchedule(infoByteCount: SodiumCall.infoByteCount), .open(byteCount: byteCount)]
        )
        return try checked(comparison, failureCount)
    }

    private mutating func messageSeal() throws(BenchError) -> Comparison {
        let correspondents = try Correspondents(deviceCount: 1, random: &random)
        let (message, placeholder) = (correspondents.message, correspondents.placeholder)
        let now = correspondents.now
        var failureCount = 0
        let comparison = Comparison(
            "message seal to payload",
            aimPerMille: 1_100,
            rounds: rounds,
            ours: {
                do {
                    let sealed = try correspondents.sender.seal(message, for: correspondents.recipients[0], sentAt: now)
                    if sealed.payload(placeholder: placeholder).isEmpty { failureCount += 1 }
                } catch {
                    failureCount += 1
                }
            },
            against: Self.sealingCalls(bodyByteCount: correspondents.bodyByteCount)
        )
        return try checked(comparison, failureCount)
    }

    private mutating func messageOpen() throws(BenchError) -> Comparison {
        let correspondents = try Correspondents(deviceCount: 1, random: &random)
        let field = try correspondents.sealedField()
        let now = correspondents.now
        var failureCount = 0
        let comparison = Comparison(
            "message open",
            aimPerMille: 1_100,
            rounds: rounds,
            ours: {
                guard case .opened = correspondents.opener.open(sealedField: field, now: now).outcome else {
                    failureCount += 1
                    return
                }
            },
            against: SodiumCall.opening(bodyByteCount: correspondents.bodyByteCount)
        )
        return try checked(comparison, failureCount)
    }

    /// Cost for each recipient: body and digest are shared by all, so neither is in the sum.
    private mutating func fanOut() throws(BenchError) -> Comparison {
        let correspondents = try Correspondents(deviceCount: Self.recipientCount, random: &random)
        let (message, placeholder) = (correspondents.message, correspondents.placeholder)
        let now = correspondents.now
        var failureCount = 0
        let comparison = Comparison(
            "message for 1,000, each",
            aimPerMille: 1_100,
            rounds: min(rounds, 9),
            unit: Self.recipientCount,
            ours: {
                do {
                    let prepared = try PreparedMessage(message, sentAt: now)
                    for result in correspondents.sender.seal(prepared, for: correspondents.recipients, now: now) {
                        if try result.get().payload(placeholder: placeholder).isEmpty { failureCount += 1 }
                    }
                } catch {
                    failureCount += 1
                }
            },
            against: Self.sealingCalls(bodyByteCount: nil)
        )
        return try checked(comparison, failureCount)
    }

    private static func sealingCalls(bodyByteCount: Int?) -> [SodiumCall] {
        [
            .base, .agreement, .keySchedule(infoByteCount: SodiumCall.infoByteCount), .seal(byteCount: frameByteCount),
            .signature(byteCount: 225), .encoding(byteCount: PushClass.alert.envelopeByteCount),
        ] + (bodyByteCount.map { [.digest(byteCount: $0)] } ?? [])
    }

    /// Rejects the time of operations that failed.
    private func checked(_ comparison: Comparison, _ failureCount: Int) throws(BenchError) -> Comparison {
        guard failureCount == 0 else { throw .operationFailed }
        return comparison
    }
}

package enum BenchError: Error, Equatable {
    case operationFailed
}
