public import Keys
package import Primitives

/// Sender's Ed25519 signing key. It decrypts nothing.
///
/// A sender is known by this key alone: make it once, and load it at every start. `write(to:)` keeps it in a file,
/// `withSeed(_:)` lends it to a secret store, and on Apple's platforms the keychain holds it.
///
///     let sender: SenderIdentity
///     do {
///         sender = try SenderIdentity(keyFile: path)
///     } catch .notFound {
///         sender = SenderIdentity()
///         try sender.write(to: path)
///     }
public struct SenderIdentity: ~Copyable, Sendable {
    /// Bytes of a seed.
    public static let seedByteCount = 32

    let key: Ed25519PrivateKey

    /// Creates an identity.
    public init() {
        var random = SystemRandom()
        self.init(random: &random)
    }

    package init(random: inout some RandomSource) {
        key = Ed25519PrivateKey(random: &random, storage: .guarded)
    }

    /// Public key, which devices pin.
    public var publicKey: SenderKey { SenderKey(key.publicKey) }
}

// The bytes, for a back end's own secret store.
extension SenderIdentity {
    /// - Parameter seed: 32 bytes, from `withSeed(_:)`: an Ed25519 private key (RFC 8032 section 5.1.5). They are
    ///   copied into memory that is zeroed; the caller zeroes its own copy.
    public init(seed: RawSpan) throws(SenderSeedError) {
        guard seed.byteCount == Self.seedByteCount else {
            throw .wrongByteCount(expected: Self.seedByteCount, actual: seed.byteCount)
        }
        guard (0..<seed.byteCount).reduce(0, { $0 | seed.byte(at: $1) }) != 0 else { throw .zeros }
        do {
            key = try Ed25519PrivateKey(seed: SecretBytes(copying: seed), storage: .guarded)
        } catch {
            throw .wrongByteCount(expected: Self.seedByteCount, actual: seed.byteCount)
        }
    }

    /// Lends the 32-byte seed, which suffices to sign as this sender. The span cannot leave `body`.
    public func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try key.withSeed(body)
    }
}

/// Reason why bytes are no sender's seed.
public enum SenderSeedError: Error, Equatable {
    /// Not 32 bytes: decode base64 or hexadecimal first.
    case wrongByteCount(expected: Int, actual: Int)
    /// All zeros: unwritten memory, and no key.
    case zeros
}

// The key file.
extension SenderIdentity {
    private static let format = "sealedpush-sender-key-1"

    /// Reads a key file, of `write(to:)` or of `sealedpush keygen sender`.
    ///
    /// - Throws: `FileError`; `.exampleKey` for a key that is published with this project.
    public init(keyFile path: String) throws(FileError) {
        try self.init(keyFile: path, exampleKeys: .refused)
    }

    package init(keyFile path: String, exampleKeys: PrivateFile.ExampleKeys) throws(FileError) {
        let file = try KeyFile(path: path, format: Self.format, lineNames: ["sender"], exampleKeys: exampleKeys)
        let seeds = file.values("sender")
        guard seeds.count == 1, seeds[0].count == 1 else { throw file.malformed }
        key = try file.identityKey(seeds[0][0])
    }

    /// Creates a key file of mode 0600, atomically. Of two processes at once, one gets `.exists`, and loads the other's
    /// file.
    ///
    /// - Throws: `FileError`; `.exists` leaves the file as it is.
    public func write(to path: String) throws(FileError) { try write(to: path, isExample: false) }

    package func write(to path: String, isExample: Bool) throws(FileError) {
        var writer = KeyFileWriter(format: Self.format, isExample: isExample)
        key.withSeed { writer.line("sender", secret: $0) }
        try writer.create(at: path)
    }
}
