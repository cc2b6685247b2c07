import Envelope
import Primitives
import Sealing
import TestSupport
import Testing

@testable import Keys
@testable import Opening

/// Files with one fault in their text; `PrivateFileTests` has the faults of any file.
struct KeyFileTests {
    private static let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    private static let otherSecret = "4SwHSQHSPTIXViUVjJmvehn-B-OfwJlggwiVSCeTzS8"
    private static let lines = [
        "sealedpush-device-key-1", "topic com.example.chat", "identity \(secret)",
        "prekey x25519 after-first-unlock \(otherSecret)",
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the lines of a device's key file are its keys`() throws {
        let device = try DeviceKeys(keyFile: makeFile(Self.lines), exampleKeys: .refused)
        #expect(device.topic == (try BundleID("com.example.chat")))
        // RFC 8032's arithmetic in Python: the public key of the seed 00...1f.
        #expect(
            Hex.encode(device.identity.rawRepresentation)
                == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
        )
        let prekeys = device.keyRing.prekeys
        #expect(prekeys.map { Hex.encode($0.publicPrekey.key.rawRepresentation) } == [Self.otherPublicKey])
        #expect(prekeys.map(\.publicPrekey.protectionClass) == [.afterFirstUnlock])
    }

    @Test(
        arguments: [
            ["# a comment"] + lines, lines + ["# a comment"], [""] + lines, lines + ["", ""],
            lines.prefix(1) + lines.dropFirst().map { " \($0) " },
            lines.map { $0.replacing(" ", with: "  ") },
            [lines[0], lines[3], lines[2], lines[1]],
        ] as [[String]]
    )
    func `comments, empty lines, spaces and the lines' order change nothing`(_ lines: [String]) throws {
        #expect(refusal(of: lines) == nil)
    }

    @Test func `a last line without an end is read`() throws {
        #expect(refusal(ofText: Self.lines.joined(separator: "\n")) == nil)
    }

    @Test(arguments: ["sealedpush-device-key-2", "sealedpush-sender-key-1", "topic com.example.chat", "x", "# only"])
    func `another first line is refused, and the error names the right one`(_ line: String) throws {
        let path = try makeFile([line] + Self.lines.dropFirst())
        #expect(
            refusal { () throws(FileError) in _ = try DeviceKeys(keyFile: path, exampleKeys: .refused) }
                == .malformed(path: path, expected: "sealedpush-device-key-1")
        )
    }

    @Test func `lines that end as Windows ends them are refused`() {
        #expect(isMalformed(refusal(ofText: Self.lines.joined(separator: "\r\n") + "\r\n")))
        #expect(isMalformed(refusal(ofText: "\(Self.lines[0])\n" + Self.lines[1...].joined(separator: "\r\n"))))
    }

    @Test(arguments: [
        "identitty x", "prekeys x25519 after-first-unlock \(otherSecret)", "sender \(secret)", "Topic com.example.chat",
        " ", "\t", "topic\tcom.example.chat", "\u{FEFF}topic com.example.chat", "sealedpush-device-key-1", "é",
    ])
    func `an unknown line is refused`(_ line: String) {
        #expect(isMalformed(refusal(of: Self.lines + [line])))
    }

    @Test(arguments: 1..<4)
    func `a line that is missing, or there twice, is refused`(_ index: Int) {
        var lines = Self.lines
        lines.append(lines[index])
        #expect(isMalformed(refusal(of: lines)))
        lines = Self.lines
        lines.remove(at: index)
        #expect(isMalformed(refusal(of: lines)))
    }

    @Test(
        arguments: [
            "topic", "topic a b", "topic com.example.chät", "topic " + String(repeating: "a", count: 156),
            "identity", "identity \(secret) \(secret)",
            "prekey", "prekey x25519 \(otherSecret)", "prekey x25519 after-first-unlock",
            "prekey x448 after-first-unlock \(otherSecret)", "prekey x25519 always \(otherSecret)",
            "prekey x25519 after-first-unlock \(otherSecret) \(otherSecret)",
        ] as [String]
    )
    func `a line with a wrong word, too few or too many is refused`(_ line: String) {
        let name = line.prefix { $0 != " " }
        #expect(isMalformed(refusal(of: Self.lines.map { $0.hasPrefix(name) ? line : $0 })))
    }

    /// The wrong alphabet, padding, one character less and more, spare bits, a whole group less.
    @Test(
        arguments: [
            "+\(secret.dropFirst())", "/\(secret.dropFirst())", "\(secret.dropLast())=", "\(secret)=",
            "\(secret.dropLast())", "\(secret)A", "\(secret.dropLast())9", "\(secret.dropLast(4))",
            "é\(secret.dropFirst(2))",
        ] as [String]
    )
    func `a secret that is no canonical base64url of 32 bytes is refused`(_ secret: String) {
        for index in 2..<4 {
            var lines = Self.lines
            lines[index] = lines[index].split(separator: " ").dropLast().joined(separator: " ") + " " + secret
            #expect(isMalformed(refusal(of: lines)))
        }
    }

    /// A bundle of these prekeys could not be made: a fault without a later check is refused here.
    @Test(arguments: [
        ["unlocked", "after-first-unlock"], ["unlocked", "unlocked"],
        ["after-first-unlock", "unlocked", "unlocked"],
    ])
    func `a device's prekeys out of order, or two of one class, are refused`(_ classes: [String]) {
        let prekeys = zip(classes, [Self.secret, Self.otherSecret, "A" + Self.secret.dropFirst().dropLast() + "A"])
            .map { "prekey x25519 \($0) \($1)" }
        #expect(isMalformed(refusal(of: Self.lines.dropLast() + prekeys)))
    }

    @Test func `a device's prekeys of both classes make a bundle of two`() throws {
        let lines = Self.lines + ["prekey x25519 unlocked \(Self.secret)"]
        let device = try DeviceKeys(keyFile: makeFile(lines), exampleKeys: .refused)
        #expect(device.bundle(now: BundleBytes.now).count == 231)
    }

    @Test func `a key file of one kind is not read as another`() throws {
        let device = try makeFile(Self.lines)
        let sender = refusal { () throws(FileError) in _ = try SenderIdentity(keyFile: device, exampleKeys: .refused) }
        #expect(sender == .malformed(path: device, expected: "sealedpush-sender-key-1"))
    }

    @Test func `no error holds a word of the file`() throws {
        let path = try makeFile(Self.lines.dropLast() + ["prekey x25519 after-first-unlock \(Self.otherSecret)x"])
        let error = try #require(
            refusal { () throws(FileError) in _ = try DeviceKeys(keyFile: path, exampleKeys: .refused) }
        )
        #expect(!"\(error)".contains(Self.otherSecret.prefix(8)))
        #expect(!"\(error)".contains(Self.secret.prefix(8)))
    }

    /// RFC 7748's ladder in Python: the public key of `otherSecret`.
    private static let otherPublicKey = "6eaca8c5f793554f9fd2d35c01ac5cf10d8f9c8fee63c289cc9dfc2db83df30e"

    private func makeFile(_ lines: some Sequence<String>) throws -> String {
        try folder.makeFile("key", lines.map { $0 + "\n" }.joined())
    }

    private func refusal(of lines: [String]) -> FileError? { refusal(ofText: lines.map { $0 + "\n" }.joined()) }

    private func refusal(ofText text: String) -> FileError? {
        let path: String
        do {
            path = try folder.makeFile("key", text)
        } catch {
            Issue.record(error)
            return nil
        }
        return TestSupport.refusal { () throws(FileError) in
            _ = try DeviceKeys(keyFile: path, exampleKeys: .refused)
        }
    }

    private func refusal(_ body: () throws(FileError) -> Void) -> FileError? { TestSupport.refusal(body) }

    private func isMalformed(_ refusal: FileError?) -> Bool {
        if case .malformed = refusal { true } else { false }
    }
}
