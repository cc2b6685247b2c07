import TestSupport
import Testing

@testable import BlobStore

struct FieldTests {
    @Test(
        arguments: [
            ("bytes=0-0", .part(offset: 0, byteCount: 1)), ("bytes=0-9", .part(offset: 0, byteCount: 10)),
            ("bytes=3-5", .part(offset: 3, byteCount: 3)), ("bytes=9-", .part(offset: 9, byteCount: 1)),
            ("bytes=5-99999999999999999999999", .part(offset: 5, byteCount: 5)),
            ("bytes=-1", .part(offset: 9, byteCount: 1)), ("bytes=-10", .part(offset: 0, byteCount: 10)),
            ("bytes=-99999999999999999999999", .part(offset: 0, byteCount: 10)),
            ("bytes=10-", .unsatisfiable), ("bytes=18446744073709551615-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=0-1,3-4", .whole), ("bytes=", .whole),
            ("bytes=-", .whole), ("bytes=--1", .whole), ("bytes=1", .whole), ("bytes=a-b", .whole),
            ("bytes= 1-2", .whole), ("bytes=+1-2", .whole), ("bytes=1-2-3", .whole), ("lines=1-2", .whole),
            ("", .whole),
        ] as [(String, ByteRange)]
    )
    func `a range is read as RFC 9110 says`(_ field: String, _ expected: ByteRange) {
        #expect(ByteRange(field, of: 10) == expected)
    }

    @Test func `of nothing there is no part`() {
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", of: 0) == .unsatisfiable)
        #expect(ByteRange(nil, of: 0) == .whole)
    }

    @Test func `a header is itself again, and nothing else is one`() {
        let header = BlobHeader(
            tenant: Site.acme.key,
            byteCount: 1 << 40,
            created: 5,
            expiry: 6,
            offset: 7
        )
        #expect(BlobHeader(header.bytes) == header)
        #expect(header.bytes.count == BlobHeader.byteCount)
        #expect(Array(header.bytes[BlobHeader.offsetPosition..<BlobHeader.offsetPosition + 8]) == BlobHeader.bytes(7))
        for count in 0..<BlobHeader.byteCount { #expect(BlobHeader(Array(header.bytes.prefix(count))) == nil) }
        var bytes = header.bytes
        bytes[0] ^= 1
        #expect(BlobHeader(bytes) == nil)
        // An offset behind the end, and an end that no file reaches.
        bytes = header.bytes
        bytes[64] = 1
        #expect(BlobHeader(bytes) == nil)
        bytes = header.bytes
        bytes[8] = 0xFF
        #expect(BlobHeader(bytes) == nil)
    }

    @Test func `tenants are known by their tokens`() throws {
        let text = """
            # who  hash  bytes  uploads
            acme \(Site.hash("one")) 1000 2

            \tglobex\t\(Site.hash("two"))  18446744073709551615 1\r
            """
        let tenants = try TenantList(text)
        #expect(tenants.count == 2)
        #expect(tenants.tenant(token: "one") == Tenant(name: "acme", byteCountMax: 1_000, uploadCountMax: 2))
        #expect(tenants.tenant(token: "two") == Tenant(name: "globex", byteCountMax: .max, uploadCountMax: 1))
        for token in ["", "three", Site.hash("one"), "One"] { #expect(tenants.tenant(token: token) == nil) }
    }

    @Test func `of many other tokens none is a tenant's`() throws {
        let tenants = try TenantList("acme \(Site.hash("one")) 1000 2")
        for number in 0..<4_000 { #expect(tenants.tenant(token: "other \(number)") == nil) }
    }

    @Test(arguments: [
        "acme", "acme HASH 1000", "acme HASH 1000 2 3", "acme short 1000 2", "acme HASH -1 2", "acme HASH 1000 0",
        "acme HASH many 2", "acme HASH= 1000 2", "ok OTHER 1 1\nok HASH 1 1", "one HASH 1 1\ntwo HASH 1 1",
    ])
    func `a line that is wrong is named`(_ text: String) {
        let lines = text.replacing("HASH", with: Site.hash("one")).replacing("OTHER", with: Site.hash("two"))
        let last = lines.split(separator: "\n").count + 1
        #expect(throws: TenantList.LineError(line: last)) { try TenantList("# tenants\n" + lines) }
    }

    @Test func `a new token is its tenant's`() throws {
        var random = SeededRandom(seed: 3)
        let (token, hash) = TenantList.makeToken(random: &random)
        #expect(token.utf8.count == 43)
        #expect(try TenantList("acme \(hash) 1 1").tenant(token: token) != nil)
        #expect(TenantList.makeToken(random: &random).token != token)
    }

    @Test func `an upload's id gives its blob's, and ids have one text each`() throws {
        var random = SeededRandom(seed: 4)
        let id = UploadID(random: &random)
        #expect(UploadID(id.text[...]) == id)
        #expect(BlobID(id.blobID.text[...]) == id.blobID)
        #expect(id.blobID.bytes != id.bytes)
        for text in ["", String(id.text.dropLast()), id.text + "A", id.text.dropLast() + "=", id.text.dropLast() + "."]
        {
            #expect(UploadID(text[...]) == nil && BlobID(text[...]) == nil)
        }
    }
}
