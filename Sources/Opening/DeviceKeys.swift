package import Envelope
package import Keys
package import Primitives

/// All private keys of a device: its identity and its prekeys. The app holds them; the extension gets a `KeyRing`.
package struct DeviceKeys: ~Copyable {
    package let topic: BundleID
    private let identityKey: Ed25519PrivateKey
    private let prekeys: [PrivatePrekey]

    /// New keys: an identity and one prekey usable after the first unlock.
    package init(topic: BundleID, random: inout some RandomSource) {
        let identityKey = Ed25519PrivateKey(random: &random, storage: .guarded)
        let prekey = PrivatePrekey(
            key: X25519PrivateKey(random: &random, storage: .guarded),
            suite: .x25519,
            protectionClass: .afterFirstUnlock,
            identity: IdentityKey(identityKey.publicKey)
        )
        self.topic = topic
        self.identityKey = identityKey
        prekeys = [prekey]
    }

    /// What senders pin.
    package var identity: IdentityKey { IdentityKey(identityKey.publicKey) }

    /// The extension's read-only view.
    package var keyRing: KeyRing { KeyRing(topic: topic, identity: identity, prekeys: prekeys) }

    /// A bundle of the current prekeys, valid from `now` for the longest time a bundle may be.
    ///
    /// The epoch is the time: it grows even when the record of the last one was lost with an uninstalled app.
    ///
    /// - Parameter now: the device's clock.
    /// - Returns: the signed bytes, 181 for one prekey and a topic of 16 bytes.
    package func bundle(now: Timestamp) -> [UInt8] {
        let entries = prekeys.map { prekey in
            KeyBundle.Entry(
                prekey: prekey.publicPrekey,
                notBefore: now,
                notAfter: now.advanced(by: KeyBundle.validityMax)
            )
        }
        let bundle = KeyBundle(
            identity: identity,
            epoch: now.milliseconds,
            issuedAt: now,
            topic: topic,
            entries: entries
        )
        return bundle.signed(by: identityKey)
    }
}

// The device's key file.
extension DeviceKeys {
    private static let format = "sealedpush-device-key-1"

    /// - Parameters:
    ///   - path: a file written by `write(to:)`.
    ///   - exampleKeys: whether a published key may be loaded.
    /// - Throws: `FileError`.
    package init(keyFile path: String, exampleKeys: PrivateFile.ExampleKeys) throws(FileError) {
        let file = try KeyFile(
            path: path,
            format: Self.format,
            lineNames: ["topic", "identity", "prekey"],
            exampleKeys: exampleKeys
        )
        let seeds = file.values("identity")
        guard seeds.count == 1, seeds[0].count == 1 else { throw file.malformed }
        let topic = try file.topic()
        let identityKey = try file.identityKey(seeds[0][0])
        let prekeys = try file.prekeys(identity: IdentityKey(identityKey.publicKey))
        // A bundle is made from them later, without a chance to refuse.
        guard KeyBundle.canHold(prekeys.map(\.publicPrekey)) else { throw file.malformed }
        self.prekeys = prekeys
        self.topic = topic
        self.identityKey = identityKey
    }

    /// Writes a file of mode 0600.
    package func write(to path: String, isExample: Bool = false) throws(FileError) {
        var writer = KeyFileWriter(format: Self.format, isExample: isExample)
        writer.line("topic", topic.text)
        identityKey.withSeed { writer.line("identity", secret: $0) }
        for prekey in prekeys { writer.line(prekey) }
        try writer.write(to: path)
    }
}
