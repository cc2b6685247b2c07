package import APNS
internal import Primitives

/// Encryption of stored device tokens: ChaCha20-Poly1305 with a random nonce, bound to the row, against moved tokens.
///
/// Random 96-bit nonces suffice for 2^32 tokens under one key (a repetition in one of 2^33 such stores).
package struct TokenVault: Sendable {
    static let fingerprintByteCount = 16
    private let secrets: StoreSecrets

    package init(_ secrets: StoreSecrets) { self.secrets = secrets }

    /// A token opens in no other.
    enum Column {
        case token, voIPToken, extraTokens
    }

    /// - Returns: 12 bytes of nonce, ciphertext, tag.
    func seal(
        _ column: Column = .token,
        of registration: Device.Registration,
        random: inout some RandomSource
    ) -> [UInt8]? {
        let (key, topic, environment) = (registration.key, registration.topic, registration.environment)
        let bytes: [UInt8]
        switch column {
        case .token: return sealToken(of: registration, random: &random)
        case .voIPToken:
            guard let token = registration.voIPToken else { return nil }
            bytes = token.bytes
        case .extraTokens:
            return seal(registration.extraTokens, key: key, topic: topic, environment: environment, random: &random)
        }
        return seal(bytes, Self.row(key, topic, environment, column), random: &random)
    }

    func sealToken(of registration: Device.Registration, random: inout some RandomSource) -> [UInt8] {
        let row = Self.row(registration.key, registration.topic, registration.environment, .token)
        return seal(registration.token.bytes, row, random: &random)
    }

    /// - Returns: nil for none.
    func seal(
        _ tokens: [ExtraToken],
        key: DeviceKey,
        topic: Topic,
        environment: APNSEnvironment,
        random: inout some RandomSource
    ) -> [UInt8]? {
        guard !tokens.isEmpty else { return nil }
        return seal(ExtraToken.encode(tokens), Self.row(key, topic, environment, .extraTokens), random: &random)
    }

    private func seal(_ bytes: [UInt8], _ row: [UInt8], random: inout some RandomSource) -> [UInt8] {
        let nonce = random.bytes(count: ChaChaPoly.nonceByteCount)
        return nonce + ChaChaPoly.seal(bytes, key: secrets.tokens, nonce: nonce, aad: row)
    }

    /// - Returns: nil if not sealed for this row.
    func open(
        _ sealed: [UInt8],
        _ column: Column = .token,
        key: DeviceKey,
        topic: Topic,
        environment: APNSEnvironment
    ) -> DeviceToken? {
        // Fails only if a token's limits changed.
        open(sealed, Self.row(key, topic, environment, column)).flatMap { try? DeviceToken(bytes: $0) }
    }

    /// - Returns: nil if not sealed for this row.
    func openExtraTokens(
        _ sealed: [UInt8],
        key: DeviceKey,
        topic: Topic,
        environment: APNSEnvironment
    ) -> [ExtraToken]? {
        open(sealed, Self.row(key, topic, environment, .extraTokens)).flatMap { ExtraToken.decode($0) }
    }

    private func open(_ sealed: [UInt8], _ row: [UInt8]) -> [UInt8]? {
        guard sealed.count >= ChaChaPoly.nonceByteCount else { return nil }
        do throws(PrimitiveError) {
            return try ChaChaPoly.open(
                sealed[ChaChaPoly.nonceByteCount...],
                key: secrets.tokens,
                nonce: Array(sealed.prefix(ChaChaPoly.nonceByteCount)),
                aad: row
            )
        } catch {
            return nil
        }
    }

    /// Keyed hash, equal for a tenant's same token in one environment.
    package func fingerprint(_ token: DeviceToken, _ environment: APNSEnvironment, _ tenant: TenantID) -> [UInt8] {
        let parts = [tenant.bytes, [environment.code], token.bytes]
        return Array(secrets.tag(.fingerprint, parts).prefix(Self.fingerprintByteCount))
    }

    /// Associated data.
    private static func row(
        _ key: DeviceKey,
        _ topic: Topic,
        _ environment: APNSEnvironment,
        _ column: Column
    ) -> [UInt8] {
        var row: [UInt8] = []
        row.reserveCapacity(key.tenant.bytes.count + key.device.bytes.count + topic.bytes.count + 5)
        for part in [key.tenant.bytes, key.device.bytes, topic.bytes] {
            row.append(UInt8(truncatingIfNeeded: part.count))
            row += part
        }
        row.append(environment.code)
        // The first, which is older, ends with the environment.
        switch column {
        case .token: break
        case .voIPToken: row.append(1)
        case .extraTokens: row.append(2)
        }
        return row
    }
}

extension APNSEnvironment {
    package var code: UInt8 {
        switch self {
        case .production: 1
        case .sandbox: 2
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .production
        case 2: self = .sandbox
        default: return nil
        }
    }
}
