package import Envelope
package import Primitives

/// Device's prekeys, signed by its identity.
///
/// Layout: docs/protocol.md, "Key bundle".
package struct KeyBundle: Equatable, Sendable {
    package static let version: UInt8 = 0x01
    package static let validityMax: Duration = .seconds(60 * 86_400)
    /// Largest lag of a sender's clock.
    package static let clockSkewMax: Duration = .seconds(5 * 60)
    static let entryCountMax = 4
    /// Two entries of 50 bytes, two of 1,234 (suite 2), a topic of 155. Longer input is not read.
    package static let byteCountMax = 50 + 155 + 1 + 2 * 50 + 2 * 1_234 + 64

    package struct Entry: Equatable, Sendable {
        package let prekey: PublicPrekey
        package let notBefore: Timestamp
        package let notAfter: Timestamp

        package init(prekey: PublicPrekey, notBefore: Timestamp, notAfter: Timestamp) {
            self.prekey = prekey
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    package let identity: IdentityKey
    /// Never decreases; senders refuse a lower one.
    package let epoch: UInt64
    package let issuedAt: Timestamp
    package let topic: BundleID
    /// 1 to 4, strictly ascending by (suite, class).
    package let entries: [Entry]

    package init(identity: IdentityKey, epoch: UInt64, issuedAt: Timestamp, topic: BundleID, entries: [Entry]) {
        precondition(Self.canHold(entries.map(\.prekey)))
        self.identity = identity
        self.epoch = epoch
        self.issuedAt = issuedAt
        self.topic = topic
        self.entries = entries
    }

    /// - Returns: encoded bundle, signature last.
    package func signed(by identityKey: borrowing Ed25519PrivateKey) -> [UInt8] {
        precondition(identityKey.publicKey == identity.key)
        let content = content
        return content + identityKey.signature(over: Self.signatureInput(content))
    }

    static func signatureInput(_ content: [UInt8]) -> [UInt8] { Binding.context(Binding.bundleContext) + content }

    package static func canHold(_ prekeys: [PublicPrekey]) -> Bool {
        (1...entryCountMax).contains(prekeys.count)
            && zip(prekeys, prekeys.dropFirst()).allSatisfy { order($0) < order($1) }
    }

    private static func order(_ prekey: PublicPrekey) -> (UInt8, UInt8) {
        (prekey.suite.rawValue, prekey.protectionClass.rawValue)
    }

    private var content: [UInt8] {
        var content = [Self.version] + identity.rawRepresentation
        content.append(bigEndian: epoch)
        content.append(bigEndian: issuedAt.milliseconds)
        content.append(lengthPrefixed: topic.bytes)
        content.append(UInt8(entries.count))
        for entry in entries {
            content += [entry.prekey.suite.rawValue, entry.prekey.protectionClass.rawValue]
            content.append(bigEndian: entry.notBefore.milliseconds)
            content.append(bigEndian: entry.notAfter.milliseconds)
            content += entry.prekey.key.rawRepresentation
        }
        return content
    }
}
