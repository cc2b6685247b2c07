package import Envelope
package import Keys

/// The extension's view of a device's keys: it opens messages and changes nothing. The identity's private half is not
/// in it, so the extension can neither sign a bundle nor rotate.
package final class KeyRing: Sendable {
    package let topic: BundleID
    package let identity: IdentityKey
    let prekeys: [PrivatePrekey]

    init(topic: BundleID, identity: IdentityKey, prekeys: [PrivatePrekey]) {
        self.topic = topic
        self.identity = identity
        self.prekeys = prekeys
    }

    /// One key at most is ever tried: a ciphertext made to open under two keys gains nothing.
    func prekey(id: [UInt8]) -> PrivatePrekey? { prekeys.first { $0.id.elementsEqual(id) } }
}

// The key ring's file, written by the app into the container that it shares with its extension.
extension KeyRing {
    private static let format = "sealedpush-key-ring-1"

    /// - Throws: `FileError`.
    package convenience init(file path: String) throws(FileError) {
        let file = try KeyFile(
            path: path,
            format: Self.format,
            lineNames: ["topic", "identity", "prekey"],
            exampleKeys: .refused
        )
        let identities = file.values("identity")
        guard identities.count == 1, identities[0].count == 1 else { throw file.malformed }
        let identity: IdentityKey
        do {
            identity = try IdentityKey(text: file.text(identities[0][0]))
        } catch {
            throw file.malformed
        }
        self.init(
            topic: try file.topic(),
            identity: identity,
            prekeys: try file.prekeys(identity: identity)
        )
    }

    /// Writes a file of mode 0600.
    package func write(to path: String) throws(FileError) {
        var writer = KeyFileWriter(format: Self.format, isExample: false)
        writer.line("topic", topic.text)
        writer.line("identity", identity.text)
        for prekey in prekeys { writer.line(prekey) }
        try writer.write(to: path)
    }
}
