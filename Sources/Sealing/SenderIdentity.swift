public import Keys
package import Primitives

/// Who seals: an Ed25519 signing key. It decrypts nothing.
public struct SenderIdentity: ~Copyable, Sendable {
    let key: Ed25519PrivateKey

    /// A new identity from the system's random source.
    public init() {
        var random = SystemRandom()
        self.init(random: &random)
    }

    package init(random: inout some RandomSource) {
        key = Ed25519PrivateKey(random: &random, storage: .guarded)
    }

    /// What devices pin.
    public var publicKey: SenderKey { SenderKey(key.publicKey) }
}

// The key file.
extension SenderIdentity {
    private static let format = "sealedpush-sender-key-1"

    /// - Parameters:
    ///   - path: a file written by `write(to:)`.
    ///   - exampleKeys: whether a published key may be loaded.
    /// - Throws: `FileError`.
    package init(keyFile path: String, exampleKeys: PrivateFile.ExampleKeys) throws(FileError) {
        let file = try KeyFile(path: path, format: Self.format, lineNames: ["sender"], exampleKeys: exampleKeys)
        let seeds = file.values("sender")
        guard seeds.count == 1, seeds[0].count == 1 else { throw file.malformed }
        key = try file.identityKey(seeds[0][0])
    }

    /// Writes a file of mode 0600.
    package func write(to path: String, isExample: Bool = false) throws(FileError) {
        var writer = KeyFileWriter(format: Self.format, isExample: isExample)
        key.withSeed { writer.line("sender", secret: $0) }
        try writer.write(to: path)
    }
}
