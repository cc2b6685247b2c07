package import Primitives

/// Keys of one Web Push subscription. A leak of them leaves a device's identity and prekeys safe, and the reverse.
///
/// A class only so that openers can share it: its keys cannot be copied.
package final class WebPushKeys: Sendable {
    package static let authenticationSecretByteCount = 16
    package static let serverByteCountMax = 128

    /// Name that the app gave to the server; nil for keys of no single server.
    package let server: String?
    private let privateKey: P256PrivateKey
    private let authenticationSecret: SecretBytes

    /// - Throws: `.notAScalar` from a broken random source, `.library`.
    package init(server: String? = nil, random: inout some RandomSource) throws(P256Error) {
        self.server = server
        privateKey = try P256PrivateKey(random: &random, storage: .guarded)
        authenticationSecret = random.secret(byteCount: Self.authenticationSecretByteCount, storage: .guarded)
    }

    /// - Parameters:
    ///   - privateKey: the receiver's, "ua_private".
    ///   - authenticationSecret: 16 bytes.
    package init(
        privateKey: consuming P256PrivateKey,
        authenticationSecret: consuming SecretBytes,
        server: String? = nil
    ) {
        self.server = server
        precondition(authenticationSecret.byteCount == Self.authenticationSecretByteCount)
        self.privateKey = privateKey
        self.authenticationSecret = authenticationSecret
    }

    /// `p256dh` of the Push API's subscription.
    package var publicKey: P256PublicKey { privateKey.publicKey }

    /// Lends `auth` of the Push API's subscription, 16 bytes. With it and the public key, anyone can write messages.
    package func withAuthenticationSecret<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try authenticationSecret.withBytes(body)
    }

    func withPrivateKey<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try privateKey.withRawRepresentation(body)
    }

    /// IKM of a message from `sender`: 32 bytes.
    func keyingMaterial(
        sender: P256PublicKey,
        _ coding: WebPushCoding = .aes128gcm
    ) throws(WebPushError) -> SecretBytes {
        do {
            let pseudorandomKey = WebPushKeySchedule.pseudorandomKey(
                sharedSecret: try privateKey.sharedSecret(with: sender),
                authenticationSecret: authenticationSecret
            )
            let keyInfo =
                switch coding {
                case .aes128gcm: WebPushKeySchedule.keyInfo(receiver: publicKey, sender: sender)
                case .aesgcm: WebPushKeySchedule.draftInfo
                }
            return try WebPushKeySchedule.keyingMaterial(pseudorandomKey: pseudorandomKey, keyInfo: keyInfo)
        } catch {
            throw .notOpened
        }
    }
}
