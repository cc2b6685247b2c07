import BlobStorePattern
import Platform
import TestSupport
import Testing

@testable import BlobStore
@testable import HTTP

struct ServiceTests {
    private let site: Site
    private let service: BlobService

    init() throws {
        site = try Site()
        service = try site.service()
    }

    private func ask(
        _ method: String,
        _ path: String,
        _ fields: KeyValuePairs<String, String> = [:],
        body: String = "",
        token: String? = Site.acmeToken
    ) -> HTTPAnswer {
        var all = fields.map { HTTPRequest.Field($0.key, $0.value) }
        if let token { all.append(.init("Authorization", "Bearer \(token)")) }
        return service.response(
            to: HTTPRequest(method: method, path: path, fields: all, body: Array(body.utf8))
        )
    }

    /// Makes a blob.
    ///
    /// - Returns: its path.
    private func makeBlob(_ text: String) throws -> String {
        let response = ask("POST", "/v1/uploads", ["Upload-Complete": "?1"], body: text)
        #expect(response.status == 201)
        return try #require(response["location"])
    }

    private func text(_ response: HTTPAnswer) throws -> String {
        switch response.body {
        case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .file(let slice):
            var bytes = [UInt8](repeating: 0, count: Int(slice.byteCount))
            let count = unsafe pread(slice.descriptor, &bytes, bytes.count, Int(slice.offset))
            #expect(count == bytes.count)
            return String(decoding: bytes, as: UTF8.self)
        case .stream:
            Issue.record("a blob has an end")
            return ""
        }
    }

    // MARK: Uploads

    @Test func `an upload in parts says after each how far it is, and at the end where the blob is`() throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "11"], body: "hello")
        #expect(begun.status == 201 && begun["upload-offset"] == "5" && begun["upload-complete"] == "?0")
        #expect(begun["upload-limit"] == "max-append-size=1048576")
        let upload = try #require(begun["location"])
        let next = ask("PATCH", upload, ["Upload-Offset": "5", "Upload-Complete": "?0"], body: " wor")
        #expect(next.status == 204 && next["upload-offset"] == "9")
        let head = ask("HEAD", upload)
        #expect(head.status == 204 && head["upload-offset"] == "9" && head["upload-length"] == "11")
        let last = ask("PATCH", upload, ["Upload-Offset": "9", "Upload-Complete": "?1"], body: "ld")
        #expect(last.status == 200 && last["upload-complete"] == "?1" && last["upload-offset"] == "11")
        #expect(last["expires"] == "Fri, 29 Jan 2027 08:00:00 GMT")
        let blob = try #require(last["location"])
        #expect(try text(ask("GET", blob, token: nil)) == "hello world")
    }

    @Test func `an answer that was lost can be asked for again`() throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "3"])
        let upload = try #require(begun["location"])
        let last = ask("PATCH", upload, ["Upload-Offset": "0", "Upload-Complete": "?1"], body: "abc")
        let again = ask("PATCH", upload, ["Upload-Offset": "0", "Upload-Complete": "?1"], body: "abc")
        #expect(again.status == 409 && again["upload-offset"] == "3" && again["upload-complete"] == "?1")
        let head = ask("HEAD", upload)
        #expect(head.status == 204 && head["location"] == last["location"] && head["location"] != nil)
    }

    @Test func `a wrong offset is told the right one (abuse case 66)`() throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "9"], body: "abc")
        let upload = try #require(begun["location"])
        let wrong = ask("PATCH", upload, ["Upload-Offset": "2", "Upload-Complete": "?0"], body: "x")
        #expect(wrong.status == 409 && wrong["upload-offset"] == "3" && wrong["upload-complete"] == "?0")
    }

    @Test func `more and less than was declared are refused (abuse case 66)`() throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "3"])
        let upload = try #require(begun["location"])
        let more = ask("PATCH", upload, ["Upload-Offset": "0", "Upload-Complete": "?1"], body: "abcd")
        #expect(more.status == 413 && more["upload-offset"] == "0")
        let less = ask("PATCH", upload, ["Upload-Offset": "0", "Upload-Complete": "?1"], body: "ab")
        #expect(less.status == 400 && less["upload-offset"] == "2")
        #expect(ask("PATCH", upload, ["Upload-Offset": "2", "Upload-Complete": "?1"], body: "c").status == 200)
        let both = ask("POST", "/v1/uploads", ["Upload-Complete": "?1", "Upload-Length": "3"], body: "abcd")
        #expect(both.status == 413 && site.usage.uploadCount == 0)
    }

    @Test(arguments: [
        [:], ["Upload-Complete": "1"], ["Upload-Complete": "?2"], ["Upload-Complete": "?0, ?1"],
        ["Upload-Complete": "?0", "Upload-Length": "-1"], ["Upload-Complete": "?0", "Upload-Length": "1.0"],
        ["Upload-Complete": "?0", "Upload-Length": ""], ["Upload-Complete": "?0", "Upload-Length": "1234567890123456"],
        ["Upload-Complete": "?0", "Upload-Length": "5", "Expires-In": "soon"],
        ["Upload-Complete": "?0", "Upload-Length": "5", "Expires-In": "0"],
    ])
    func `fields that are malformed begin nothing`(_ fields: [String: String]) throws {
        let pairs = fields.map { HTTPRequest.Field($0.key, $0.value) }
        let token = HTTPRequest.Field("Authorization", "Bearer \(Site.acmeToken)")
        let request = HTTPRequest(method: "POST", path: "/v1/uploads", fields: pairs + [token])
        #expect(service.response(to: request).status == 400)
        #expect(site.usage == Usage())
    }

    @Test func `a length that is not declared begins nothing`() {
        #expect(ask("POST", "/v1/uploads", ["Upload-Complete": "?0"], body: "abc").status == 411)
    }

    @Test func `quotas are answered with their own status (abuse case 66)`() throws {
        #expect(ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "10001"]).status == 507)
        #expect(ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "99999999999"]).status == 413)
        for _ in 0..<3 {
            #expect(ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "1"]).status == 201)
        }
        #expect(ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "1"]).status == 429)
    }

    @Test(arguments: [nil, "", "wrong", Site.hash(Site.acmeToken), "Bearer acme-token"])
    func `without a tenant's token nothing is uploaded, and nothing is told`(_ token: String?) throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "9"])
        let upload = try #require(begun["location"])
        let refused = ask("POST", "/v1/uploads", ["Upload-Complete": "?1"], body: "x", token: token)
        #expect(refused.status == 401 && refused["www-authenticate"] == "Bearer")
        for path in [upload, "/v1/uploads/nothing"] {
            for method in ["HEAD", "PATCH", "DELETE"] {
                let response = ask(method, path, ["Upload-Offset": "0", "Upload-Complete": "?0"], token: token)
                #expect(try Shape(response) == Shape(refused))
            }
        }
    }

    @Test func `another tenant's upload looks like none (abuse case 66)`() throws {
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "9"])
        let upload = try #require(begun["location"])
        for method in ["HEAD", "PATCH", "DELETE"] {
            let fields: KeyValuePairs = ["Upload-Offset": "0", "Upload-Complete": "?0"]
            let other = ask(method, upload, fields, token: Site.globexToken)
            #expect(try Shape(other) == Shape(ask(method, "/v1/uploads/nothing", fields)))
            #expect(other.status == 404)
        }
        #expect(ask("DELETE", upload).status == 204)
        #expect(ask("DELETE", upload).status == 404)
    }

    // MARK: Downloads

    @Test func `everything that is not there looks the same (abuse case 67)`() throws {
        let expired = try #require(
            ask("POST", "/v1/uploads", ["Upload-Complete": "?1", "Expires-In": "1"], body: "x")["location"]
        )
        let begun = ask("POST", "/v1/uploads", ["Upload-Complete": "?0", "Upload-Length": "9"], body: "half")
        let upload = try #require(begun["location"])
        let uploadID = try #require(UploadID(upload.dropFirst("/v1/uploads/".count)))
        let blob = try makeBlob("there")
        let deleted = try site.blob([1])
        try site.abandon(deleted)
        site.now += 1
        let expected = try Shape(ask("GET", "/nothing", token: nil))
        #expect(expected.status == 404)
        let paths = [
            expired, "/v1/blobs/\(uploadID.blobID.text)", "/v1/blobs/\(uploadID.text)",
            "/v1/blobs/\(deleted.id.blobID.text)",
            "/v1/blobs/" + String(repeating: "A", count: 43), "/v1/blobs/" + String(repeating: "A", count: 42) + "B",
            "/v1/blobs/", "/v1/blobs/x", "/v1/blobs/../lock", "/v1/blobs/%2e%2e", blob + "=", blob + "/", blob + "%00",
            String(blob.dropLast()), blob.uppercased(), "/v1/blobs", "/v1", "/", "", "//", "/v2" + blob.dropFirst(3),
        ]
        for path in paths {
            for method in ["GET", "HEAD"] {
                #expect(try Shape(ask(method, path, ["Range": "bytes=0-1"], token: nil)) == expected, "\(path)")
            }
        }
        #expect(ask("GET", blob, token: nil).status == 200)
    }

    @Test func `nothing is listed (abuse case 67)`() throws {
        let blob = try makeBlob("there")
        for path in ["/", "/v1", "/v1/", "/v1/blobs", "/v1/blobs/"] {
            let response = ask("GET", path)
            #expect(response.status == 404)
            #expect(try !text(response).contains(blob.suffix(43)))
        }
        #expect(ask("GET", "/v1/uploads").status == 405)
    }

    @Test func `a blob comes with what a client needs to go on, and is kept by nobody`() throws {
        let blob = try makeBlob("0123456789")
        let whole = ask("GET", blob, token: nil)
        #expect(whole.status == 200 && whole["accept-ranges"] == "bytes" && whole["cache-control"] == "no-store")
        #expect(whole["content-type"] == "application/octet-stream" && whole["x-content-type-options"] == "nosniff")
        let tag = try #require(whole["etag"])
        let part = ask("GET", blob, ["Range": "bytes=4-", "If-Range": tag], token: nil)
        #expect(part.status == 206 && part["content-range"] == "bytes 4-9/10")
        #expect(try text(part) == "456789")
        let other = ask("GET", blob, ["Range": "bytes=4-", "If-Range": "\"another\""], token: nil)
        #expect(try other.status == 200 && text(other) == "0123456789")
        let beyond = ask("GET", blob, ["Range": "bytes=10-"], token: nil)
        #expect(beyond.status == 416 && beyond["content-range"] == "bytes */10")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `a blob cannot be changed by whoever knows it`(_ method: String) throws {
        let blob = try makeBlob("there")
        #expect(ask(method, blob, body: "other").status == 405)
        #expect(try text(ask("GET", blob)) == "there")
    }
}

private struct Shape: Equatable {
    let status: Int
    let fields: HeaderBlock
    let body: [UInt8]

    init(_ response: HTTPAnswer) throws {
        status = response.status
        fields = response.fields
        guard case .bytes(let bytes) = response.body else { throw Unexpected() }
        body = bytes
    }

    struct Unexpected: Error {}
}

extension HTTPAnswer {
    fileprivate subscript(name: String) -> String? {
        fields.first { $0.name.elementsEqual(name.utf8) }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}
