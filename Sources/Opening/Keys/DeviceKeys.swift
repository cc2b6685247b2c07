package import Envelope
package import Keys
package import Primitives

/// Tester's keys in one file, never rotated. Apps use `AppKeyRing`.
package struct DeviceKeys: ~Copyable {
    package let topic: BundleID
    private let identityKey: Ed25519PrivateKey
    private let prekeys: [PrivatePrekey]

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

    package var identity: IdentityKey { IdentityKey(identityKey.publicKey) }

    package var keyRing: KeyRing { KeyRing(topic: topic, identity: identity, prekeys: prekeys) }

    /// Bundle of the current prekeys, valid from `now` as long as allowed: 181 bytes for one prekey and a topic of 16
    /// bytes.
    ///
    /// The epoch is the time, so it grows even if the last one is lost.
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

extension DeviceKeys {
    /// Replaces the shared store's content with these prekeys. The identity's private half goes to `identityStore`
    /// only, if any.
    package func install(
        in store: any SecretStore,
        identityStore: (any SecretStore)? = nil,
        replayStore: StoreID?,
        now: Timestamp
    ) throws(KeyRingError) {
        let writer = RingWriter(identity: identityStore ?? store, shared: store)
        var index = RingIndex(
            topic: topic,
            identity: identity,
            replayStore: replayStore ?? RingIndex.noReplayStore,
            origin: .continued
        )
        for prekey in prekeys { try writer.write(prekey, identity: identity) }
        let clock = RingClock(now: now, known: KnownTime(lowerBound: Timestamp(milliseconds: 0)))
        index.rotate(to: prekeys.map(\.publicPrekey), at: clock, signedBy: identityKey)
        try writer.commit(index)
        if identityStore != nil { try writer.write(identityKey) }
        try writer.sweep(keeping: index)
    }
}

extension DeviceKeys {
    private static let format = "sealedpush-device-key-1"

    /// Reads a file of `write(to:)`.
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
        // `bundle` cannot throw.
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
