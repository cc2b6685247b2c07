package import APNS
package import Primitives

/// Makes device tokens, and alone can read them: a token is its own encrypted record.
///
/// 16 bytes of content, padded with zeros, are encrypted under their MAC as initialization vector. The token is MAC and
/// ciphertext: 32 bytes, as Apple's today. Without the key, none can be made, changed or linked to a device. Simulators
/// that share it recognize tokens of the wrong environment.
///
/// - Source: RFC 5297 section 1.3.2 (synthetic initialization vectors), with HMAC-SHA256 and ChaCha20 for AES.
package final class DeviceTokenMint: Sendable {
    package struct Content: Equatable, Sendable {
        package var environment: APNSEnvironment
        /// Directory's number for the app on the device.
        package var installation: UInt32
        /// Tokens that the device had for the app before.
        package var generation: UInt16
        /// 40 bits of the bundle id's hash.
        package var app: UInt64
        /// Distinguishes the tokens of two runs with one key.
        package var salt: UInt32
    }

    package static let keyByteCount = 32
    /// From the shortest to the longest that the device link carries.
    package static let tokenByteCounts = tagByteCount + contentByteCount...DeviceToken.byteCountMax

    private static let tagByteCount = 16
    private static let contentByteCount = 16

    let tokenByteCount: Int
    private let tagKey: SecretBytes
    private let cipherKey: SecretBytes

    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - tokenByteCount: one of `tokenByteCounts`.
    package init(key: borrowing SecretBytes, tokenByteCount: Int = 32) {
        precondition(key.byteCount == Self.keyByteCount && Self.tokenByteCounts.contains(tokenByteCount))
        self.tokenByteCount = tokenByteCount
        tagKey = Self.derive("sealed-push simulator token tag", from: key)
        cipherKey = Self.derive("sealed-push simulator token cipher", from: key)
    }

    package convenience init(tokenByteCount: Int = 32) {
        var random = SystemRandom()
        self.init(key: random.secret(byteCount: Self.keyByteCount), tokenByteCount: tokenByteCount)
    }

    /// Makes the token of the content; deterministic.
    package func seal(_ content: Content) -> DeviceToken {
        var plaintext: [UInt8] = [content.environment == .production ? 1 : 2]
        plaintext.append(content.installation)
        plaintext += [UInt8(content.generation >> 8), UInt8(content.generation & 0xFF)]
        plaintext += (0..<5).map { UInt8(truncatingIfNeeded: content.app >> (32 - 8 * $0)) }
        plaintext.append(content.salt)
        plaintext += [UInt8](repeating: 0, count: tokenByteCount - Self.tagByteCount - plaintext.count)
        let tag = tag(of: plaintext)
        do throws(APNSError) {
            return try DeviceToken(bytes: tag + crypt(plaintext[...], tag))
        } catch {
            preconditionFailure("the length is one of a device token's")
        }
    }

    package func open(_ token: DeviceToken) -> Content? {
        guard token.bytes.count == tokenByteCount else { return nil }
        let tag = Array(token.bytes.prefix(Self.tagByteCount))
        let plaintext = crypt(token.bytes.dropFirst(Self.tagByteCount), tag)
        guard SecretBytes.areEqual(self.tag(of: plaintext), tag) else { return nil }
        return Content(
            environment: plaintext[0] == 1 ? .production : .sandbox,
            installation: UInt32(truncatingIfNeeded: plaintext[1..<5].bigEndianValue),
            generation: UInt16(truncatingIfNeeded: plaintext[5..<7].bigEndianValue),
            app: plaintext[7..<12].bigEndianValue,
            salt: UInt32(truncatingIfNeeded: plaintext[12..<16].bigEndianValue)
        )
    }

    static func app(of bundleID: Topic) -> UInt64 { SHA256.hash(bundleID.bytes)[0..<5].bigEndianValue }

    private func tag(of plaintext: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        tagKey.withBytes { key in
            var elements = code.mutableSpan
            var output = unsafe elements.mutableBytes
            HMACSHA256.code(key: key, into: &output) { $0.update(plaintext) }
        }
        return Array(code.prefix(Self.tagByteCount))
    }

    /// XORs ChaCha20's key stream, in both directions, without its tag.
    private func crypt(_ bytes: ArraySlice<UInt8>, _ tag: [UInt8]) -> [UInt8] {
        let stream = ChaChaPoly.seal(
            [UInt8](repeating: 0, count: bytes.count),
            key: cipherKey,
            nonce: Array(tag.prefix(ChaChaPoly.nonceByteCount)),
            aad: []
        )
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    private static func derive(_ label: String, from key: borrowing SecretBytes) -> SecretBytes {
        do throws(PrimitiveError) {
            return try HKDFSHA256.expand(pseudorandomKey: key, info: Array(label.utf8), byteCount: keyByteCount)
        } catch {
            preconditionFailure("32 bytes are not too many")
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var bigEndianValue: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
