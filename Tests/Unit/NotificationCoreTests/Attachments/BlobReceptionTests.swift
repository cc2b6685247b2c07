import Envelope
import Testing

@testable import NotificationCore

struct BlobReceptionTests {
    private static func request(offset: UInt64) throws -> BlobRequest {
        BlobRequest(url: try #require(AttachmentURL("https://files.example.com/1")), offset: offset, byteCount: 1_000)
    }

    private func begin(_ status: Int, _ fields: [String: String] = [:], offset: UInt64 = 0) throws {
        try BlobReception(try Self.request(offset: offset)).begin(status: status) { fields[$0] }
    }

    @Test func `everything is asked for without a range, and the rest with one`() throws {
        #expect(BlobReception(try Self.request(offset: 0)).rangeField == nil)
        #expect(BlobReception(try Self.request(offset: 999)).rangeField == "bytes=999-")
    }

    @Test func `what was asked for is taken, with its length and without`() throws {
        try begin(200)
        try begin(200, ["content-length": "1000", "content-encoding": "identity"])
        try begin(206, ["content-range": "bytes 400-999/1000", "content-length": "600"], offset: 400)
    }

    @Test(arguments: ["999", "1001", "0", "-1", "x", "99999999999999999999999"])
    func `another length is refused before a byte is read (abuse case 53)`(_ length: String) {
        #expect(throws: BlobDownloadError.wrongLength) { try begin(200, ["content-length": length]) }
    }

    @Test(arguments: ["gzip", "br", "identity, gzip", ""])
    func `a coding is refused`(_ coding: String) {
        #expect(throws: BlobDownloadError.wrongAnswer) { try begin(200, ["content-encoding": coding]) }
    }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308, 399])
    func `a redirect is refused (abuse case 58)`(_ status: Int) {
        #expect(throws: BlobDownloadError.redirected) { try begin(status, ["location": "https://files.example.com/2"]) }
    }

    @Test(arguments: [204, 400, 404, 410, 500, 999])
    func `another status is said`(_ status: Int) {
        #expect(throws: BlobDownloadError.status(status)) { try begin(status) }
    }

    @Test func `everything instead of the rest, and a range that nobody asked for, are refused`() {
        #expect(throws: BlobDownloadError.wrongAnswer) { try begin(200, offset: 400) }
        #expect(throws: BlobDownloadError.wrongAnswer) { try begin(206, ["content-range": "bytes 0-999/1000"]) }
    }

    @Test(arguments: [
        nil, "", "bytes 0-999/1000", "bytes 400-998/1000", "bytes 400-999/*", "bytes 400-999/1001", "bytes */1000",
        "bytes 401-999/1000", "items 400-999/1000",
    ])
    func `another range is refused`(_ range: String?) {
        #expect(throws: BlobDownloadError.wrongAnswer) {
            try begin(206, range.map { ["content-range": $0] } ?? [:], offset: 400)
        }
    }

    @Test func `one byte too many is refused, and one too few a lost connection`() throws {
        var reception = BlobReception(try Self.request(offset: 400))
        try reception.add(byteCount: 599)
        #expect(throws: BlobDownloadError.connectionLost) { try reception.end() }
        #expect(throws: BlobDownloadError.wrongLength) { try reception.add(byteCount: 2) }
        try reception.add(byteCount: 1)
        try reception.end()
    }
}
