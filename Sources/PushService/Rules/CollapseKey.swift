package import APNS
import Envelope
package import Primitives
package import PushStore

/// Makes the collapse ids that Apple sees. No two devices share one: none reveals a group's members.
///
/// A sender's word ("one for each conversation") yields one id for a device. Without a word the id is the
/// notification's own: every alert is safe to resend.
///
/// - Source: protocol v1, rule 34; docs/provider.md, "What became of a push".
package struct CollapseKey: ~Copyable, Sendable {
    static let context = "SealedPush/1 collapse id"
    package static let wordByteCountMax = 64

    private let key: SecretBytes

    /// - Parameter key: service's own 32 random bytes, kept: another stops collapsing for a while.
    package init(_ key: consuming SecretBytes) { self.key = key }

    /// - Parameter word: sender's; nil if the notification replaces none.
    /// - Returns: 22 characters of base64url; nil for a call.
    package func collapseID(
        for notificationClass: NotificationClass,
        id: APNSID,
        tenant: TenantID,
        device: DeviceID,
        word: String?
    ) -> CollapseID? {
        guard notificationClass.collapses else { return nil }
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
        // 22 characters of base64url are always valid.
        return try? CollapseID(bytes: Base64URL.encode(code.span.extracting(first: 16)))
    }

    /// False if made without a word: no other notification has it.
    func mayBeShared(_ collapseID: CollapseID, id: APNSID, tenant: TenantID, device: DeviceID) -> Bool {
        self.collapseID(for: .normal, id: id, tenant: tenant, device: device, word: nil) != collapseID
    }

    private static let contextBytes = Binding.context(context)
}
