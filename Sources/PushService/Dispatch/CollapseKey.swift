package import APNS
import Envelope
package import Primitives

/// Makes the collapse ids that Apple sees: no two devices share one, so that none tells who is in a group.
///
/// A sender's word ("one for each conversation") becomes one id for each device and app, the same every time; without a word
/// the id is the notification's own. Every alert has one, because that is what makes an unclear outcome safe to send again.
///
/// - Source: protocol v1, rule 34; docs/provider.md, "What became of a push".
package struct CollapseKey: ~Copyable, Sendable {
    static let context = "SealedPush/1 collapse id"
    /// Of the sender's word.
    package static let wordByteCountMax = 64

    private let key: SecretBytes

    /// - Parameter key: 32 random bytes, the service's own and kept: another key would end the replacing for a while.
    package init(_ key: consuming SecretBytes) { self.key = key }

    /// - Parameters:
    ///   - notificationClass: calls have none.
    ///   - id: the notification's, which it keeps over all attempts.
    ///   - tenant: whose.
    ///   - device: the tenant's id for the device.
    ///   - word: the sender's; nil for a notification that replaces none.
    /// - Returns: 22 characters of base64url, or nil.
    package func collapseID(
        for notificationClass: NotificationClass,
        id: APNSID,
        tenant: String,
        device: String,
        word: String?
    ) -> CollapseID? {
        guard notificationClass.collapses else { return nil }
        let code = key.authenticationCode { code in
            code.update(Binding.context(Self.context))
            for part in [tenant, device] { code.update(Self.lengthPrefixed(Array(part.utf8))) }
            code.update(byte: word == nil ? 0 : 1)
            code.update(word.map { Array($0.utf8) } ?? id.bytes)
        }
        // 22 characters of base64url are always a collapse id.
        return try? CollapseID(bytes: Base64URL.encode(code[..<16]))
    }

    private static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        withBigEndian(UInt32(bytes.count)) + bytes
    }

    private static func withBigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
