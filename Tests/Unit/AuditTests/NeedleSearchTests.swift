import Envelope
import Platform
import TestSupport
import Testing

@testable import Audit

struct NeedleSearchTests {
    private static let word = Array("kx7mpq2rtw9zbnh4v".utf8)
    private static let key = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }

    @Test(arguments: CanaryForm.allCases)
    func `each spelling of a value is found in a file, wherever it stands`(_ form: CanaryForm) throws {
        let folder = try TemporaryFolder()
        for value in [Self.word, Self.key] {
            for spelling in form.spellings(of: value) {
                for place in [0, 1, 7, 1 << 20, (1 << 20) - 5] {
                    let bytes = [UInt8](repeating: 0x2E, count: place) + spelling + [0x2E]
                    let found = try Self.search(bytes, for: value, in: folder)
                    #expect(found.contains { $0.form == form && $0.offset == UInt64(place) }, "\(form) at \(place)")
                }
            }
        }
    }

    @Test func `base64 of a text that holds the value is found at each place of a group`() throws {
        let folder = try TemporaryFolder()
        for lead in ["", "a", "ab", "abc"] {
            let text = Base64URL.encode(Array(lead.utf8) + Self.word + Array(", and more".utf8))
            #expect(try Self.search(text, for: Self.word, in: folder).first?.form == .base64, "\(lead)")
        }
    }

    @Test func `half of a key is found, and another key is not`() throws {
        let folder = try TemporaryFolder()
        #expect(try !Self.search(Array(Self.key[16...]), for: Self.key, in: folder).isEmpty)
        #expect(try Self.search(Self.key.map { $0 ^ 1 }, for: Self.key, in: folder).isEmpty)
    }

    @Test func `a value that is too short is refused`() {
        #expect(throws: AuditError.shortCanary(name: "a")) { try Canary("a", .words, Array("fifteen letters".utf8)) }
    }

    @Test func `canaries are read as they were written`() throws {
        var set = CanarySet()
        try set.add("a title", .words, Self.word)
        try set.add("a key", .senderKey, Self.key)
        set.records = [CanarySet.Pair(short: "a", long: "b")]
        #expect(try CanarySet(json: set.json) == set)
        #expect(throws: AuditError.malformedCanaries) { try CanarySet(json: Array(set.json.dropLast())) }
        #expect(throws: AuditError.malformedCanaries) { try CanarySet(json: Array(#"{"canaries":[]}"#.utf8)) }
    }

    private static func search(
        _ bytes: [UInt8],
        for value: [UInt8],
        in folder: TemporaryFolder
    ) throws -> [(form: CanaryForm, offset: UInt64)] {
        let path = try folder.makeFile("bytes", "")
        let descriptor = unsafe open(path, O_WRONLY)
        defer { close(descriptor) }
        #expect(unsafe writeAll(bytes.span.bytes, to: descriptor) == nil)
        var found: [(form: CanaryForm, offset: UInt64)] = []
        var reader = SourceReader(NeedleSearch([try Canary("value", .words, value)]))
        #expect(try reader.readFile(path) { found.append(($0.form, $1)) } == UInt64(bytes.count))
        return found
    }
}
