import Envelope
import Foundation
import Primitives
import TestSupport
import Testing

@testable import AttachmentStream

/// The vectors of c2sp.org/chunked-encryption; Vectors/README.md has their source.
struct PublishedVectorTests {
    struct Published: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        var testDescription: String { fields["name"] ?? "" }

        func bytes(_ field: String) throws -> [UInt8] { try fields.bytes(field) }

        /// `00*16384` is one byte that many times.
        func ciphertext() throws -> [UInt8] {
            try #require(fields["ciphertext"]).split(separator: " ").flatMap { run throws -> [UInt8] in
                let parts = run.split(separator: "*")
                let bytes = try #require(Hex.decode(parts[0]))
                guard parts.count == 2, let count = Int(parts[1]) else { return bytes }
                return [UInt8](repeating: bytes[0], count: count)
            }
        }
    }

    /// The published ones derive their keys with SHA-256, unlike an attachment: the test does the derivation, the
    /// library its context, its use, and all that follows.
    private struct Setting: ~Copyable {
        let head, chunks: [UInt8]
        let keys: ChunkKeys

        init(_ vector: Published) throws {
            let ciphertext = try vector.ciphertext()
            let (key, context) = (try vector.bytes("key"), try vector.bytes("context"))
            let derived = try HKDFSHA256.expand(
                pseudorandomKey: SecretBytes(copying: unsafe key.span.bytes),
                info: ChunkKeys.info(salt: Array(ciphertext.prefix(ChunkFormat.saltByteCount)), context: context),
                byteCount: ChunkKeys.derivedByteCount
            )
            head = Array(ciphertext.prefix(ChunkFormat.headByteCount))
            chunks = Array(ciphertext.dropFirst(ChunkFormat.headByteCount))
            keys = ChunkKeys(derived: derived)
        }

        var salt: [UInt8] { Array(head.prefix(ChunkFormat.saltByteCount)) }

        func opened() -> Opened {
            guard keys.isCommitted(by: head[ChunkFormat.saltByteCount...]) else { return Opened(.wrongKey) }
            var released: [UInt8] = []
            var opener = RawChunkOpener(keys)
            do throws(AttachmentError) {
                try unsafe opener.update(chunks.span.bytes) { released += [UInt8](copying: $0) }
                try opener.finish { released += [UInt8](copying: $0) }
                return Opened(released: released)
            } catch {
                return Opened(released: released, error)
            }
        }
    }

    static let published = load { _ in true }
    /// Two have keys of another length, which the opener does not check; four have heads that are too short.
    static let opened = load { $0["key"]?.count == 64 && ($0["ciphertext"] ?? "").count >= 112 }
    static let cut = load { ($0["ciphertext"] ?? "").count < 112 }
    static let derived = load { $0["aead_key"] != nil }

    private static func load(_ isIncluded: ([String: String]) -> Bool) -> [Published] {
        guard let file = try? VectorFile("chunked-encryption-aes256gcm.txt", in: .module) else { return [] }
        return file.blocks(startingWith: "name").filter(isIncluded).map(Published.init)
    }

    @Test func `all of them are there`() {
        #expect(Self.published.count == 34)
        #expect(Self.opened.count == 28)
        #expect(Self.cut.count == 4)
        #expect(Self.derived.count > 20)
    }

    /// A failing vector's payload is the part that a stream releases before it knows.
    @Test(arguments: opened)
    func `opens, or gives what is genuine before it fails, as the vector says`(_ vector: Published) throws {
        let result = try Setting(vector).opened()
        #expect((result.error == nil) == (vector.fields["expect"] == "success"))
        #expect(result.released.count == Int(vector.fields["payload_length"] ?? "0"))
        if let digest = vector.fields["payload_sha256"] {
            #expect(Hex.encode(SHA256.hash(result.released)) == digest)
        }
    }

    @Test(arguments: cut)
    func `a head that is too short is truncated`(_ vector: Published) throws {
        let bytes = try vector.ciphertext()
        #expect(vector.fields["expect"] == "failure")
        #expect(Opened([bytes], key: try vector.bytes("key"), context: []) == Opened(.truncated))
    }

    @Test(arguments: opened.filter { $0.fields["expect"] == "success" })
    func `seals what a vector holds to the vector's bytes`(_ vector: Published) throws {
        let setting = try Setting(vector)
        let plaintext = setting.opened().released
        let sealed = Sample.seal(plaintext, with: ChunkSealer(setting.keys, salt: setting.salt))
        let isSame = sealed == setting.head + setting.chunks
        #expect(isSame)
    }

    @Test(arguments: derived)
    func `derives the vector's key and base nonce`(_ vector: Published) throws {
        let setting = try Setting(vector)
        let key = setting.keys.key.withBytes { [UInt8](copying: $0) }
        #expect(try key == vector.bytes("aead_key"))
        let nonce = setting.keys.baseNonce
        #expect(try nonce == vector.bytes("base_nonce"))
    }
}
