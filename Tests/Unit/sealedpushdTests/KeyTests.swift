import Envelope
import Glibc
import Primitives
import PushService
import TestSupport
import Testing

struct KeyTests {
    @Test func `make-key makes 32 bytes for the owner alone, and never over a file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("token.key")
        #expect(try Ended(["make-key", path]).code == 0)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(status.st_size == 32)
        let first = try bytes(path)
        let again = try Ended(["make-key", path])
        #expect(again.code == 1)
        #expect(again.complaint == "sealedpushd: \(path): it exists already and was not changed; name another file\n")
        #expect(try bytes(path) == first)
        let nowhere = folder.path("nowhere/token.key")
        #expect(
            try Ended(["make-key", nowhere]).complaint
                == "sealedpushd: \(nowhere): its folder does not exist; make it\n"
        )
        let other = folder.path("other.key")
        #expect(try Ended(["make-key", other]).code == 0)
        #expect(try bytes(other) != first)
    }

    @Test func `a key of base64url is the key of its bytes`() throws {
        let folder = try TemporaryFolder()
        let raw = Array(0..<32).map { UInt8($0) }
        let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        for (name, form) in [("a", text), ("b", text + "\n"), ("c", String(decoding: raw, as: UTF8.self))] {
            let key = try TokenKeyFile.read(try folder.makeFile(name, form))
            #expect(key.withBytes { bytes in (0..<32).allSatisfy { bytes.byte(at: $0) == UInt8($0) } })
        }
    }

    @Test func `a link, a folder and a pipe are no key files, or are what they lead to`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: TokenKeyFileError.self) { _ = try read(folder.path) }
        let pipe = folder.path("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(throws: TokenKeyFileError.self) { _ = try read(pipe) }
    }

    @Test func `make-api-key prints a key and the hash that the configuration takes`() throws {
        let ended = try Ended(["make-api-key"])
        #expect(ended.code == 0)
        let words = ended.output.split(separator: "\n").prefix(2).map { $0.split(separator: " ") }
        let key = try #require(words.first?.last.map(String.init))
        let hash = try #require(words.last?.last.map(String.init))
        #expect(key.hasPrefix("spk_") && key.utf8.count == 47)
        #expect(APIKeyHash(of: Array(key.utf8)).text == hash)
    }

    @Test func `make-api-key --json prints both in one object`() throws {
        let ended = try Ended(["make-api-key", "--json"])
        #expect(ended.code == 0 && ended.output.hasSuffix("\n") && ended.output.count { $0.isNewline } == 1)
        let limits = JSONParser.Limits(byteCountMax: 1 << 10, depthMax: 2, allowsFractions: false)
        let made = try JSONParser.parse(Array(ended.output.utf8), limits: limits)
        let key = try #require(made["key"]?.string)
        #expect(made["hash"]?.string == APIKeyHash(of: Array(key.utf8)).text)
    }

    @Test func `make-key names a folder that is given for its file`() throws {
        let folder = try TemporaryFolder()
        let ended = try Ended(["make-key", folder.path])
        #expect(ended.code == 1)
        #expect(ended.complaint == "sealedpushd: \(folder.path): it is a folder; give the path of a file\n")
    }

    private func read(_ path: String) throws -> Int { try TokenKeyFile.read(path).byteCount }

    private func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
