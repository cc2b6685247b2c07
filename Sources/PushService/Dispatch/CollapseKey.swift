package import APNS
import Envelope
package import Primitives
package import PushStore

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
    ///   - tenant: Its tenant.
    ///   - device: Its device.
    ///   - word: the sender's; nil for a notification that replaces none.
    /// - Returns: 22 characters of base64url, or nil.
    package func collapseID(
        for notificationClass: NotificationClass,
        id: APNSID,
        tenant: TenantID,
        device: DeviceID,
        word: String?
    ) -> CollapseID? {
        guard notificationClass.collapses else { return nil }
        // Public, unlike what an authentication code mostly is.
        var code = InlineArray<32, UInt8>(repeating: 0)
        key.writeAuthenticationCode(to: &code) { code in
            var message = Self.contextBytes
            message.reserveCapacity(message.count + tenant.bytes.count + device.bytes.count + 32)
            for part in [tenant.bytes, device.bytes] {
                for shift in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
                message += part
            }
            message.append(word == nil ? 0 : 1)
            if let word { message.append(contentsOf: word.utf8) } else { message += id.bytes }
            code.update(message)
        }
        // 22 characters of base64url are always a collapse id.
        return try? CollapseID(bytes: Base64URL.encode(code.span.extracting(first: 16)))
    }

    /// Whether a sender's word may be behind a collapse id, so that others have it too.
    ///
    /// - Parameters:
    ///   - collapseID: of a notification.
    ///   - id: its apns-id.
    ///   - tenant: Its tenant.
    ///   - device: Its device.
    /// - Returns: false for one that this made without a word.
    func mayBeShared(_ collapseID: CollapseID, id: APNSID, tenant: TenantID, device: DeviceID) -> Bool {
        self.collapseID(for: .normal, id: id, tenant: tenant, device: device, word: nil) != collapseID
    }

    private static let contextBytes = Binding.context(context)
}
