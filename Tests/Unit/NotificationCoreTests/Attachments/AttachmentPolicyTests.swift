import Envelope
import Testing

@testable import NotificationCore

struct AttachmentPolicyTests {
    private static let policy = AttachmentPolicy(sources: [
        .init(host: "files.example.com", pathPrefix: "/v1/blobs/"),
        .init(host: "localhost", port: 8_443, pathPrefix: "/"),
    ])

    private func allows(_ url: String) throws -> Bool { Self.policy.allows(try #require(AttachmentURL(url))) }

    @Test(arguments: [
        "https://files.example.com/v1/blobs/a", "https://files.example.com:443/v1/blobs/a/b?c",
        "https://localhost:8443/a",
    ])
    func `an address under what the app names is allowed`(_ url: String) throws {
        #expect(try allows(url))
    }

    @Test(arguments: [
        "https://evil.example.com/v1/blobs/a", "https://files.example.com.evil.com/v1/blobs/a",
        "https://xfiles.example.com/v1/blobs/a", "https://files.example.com:8443/v1/blobs/a",
        "https://files.example.com/v1/blobsa/a", "https://files.example.com/a?/v1/blobs/", "https://localhost/a",
        "https://files.example.com/v1/blobs/", "https://files.example.com/v1/%62lobs/a", "https://127.0.0.1:8443/a",
    ])
    func `any other address is not (abuse case 57)`(_ url: String) throws {
        #expect(try !allows(url))
    }

    @Test(arguments: [
        "text/html", "image/svg+xml", "image/heic", "image/webp", "application/pdf", "application/octet-stream",
        "image/jpg", "video/quicktime",
    ])
    func `a type that iOS does not show is unknown`(_ type: String) throws {
        #expect(AttachmentFormat(try #require(MediaType(type))) == nil)
    }

    @Test(
        arguments: [("image/png", 10_000_000), ("audio/mpeg", 5_000_000), ("video/mp4", 50_000_000)]
            as [(String, UInt64)]
    )
    func `each kind has iOS's limit (abuse case 63)`(_ type: String, _ byteCountMax: UInt64) throws {
        #expect(AttachmentFormat(try #require(MediaType(type)))?.byteCountMax == byteCountMax)
    }

    @Test(arguments: [
        ("image/jpeg", "<html>"), ("image/jpeg", "PK\u{3}\u{4}"), ("image/jpeg", "<svg "),
        ("image/jpeg", "\u{0}\u{0}\u{0} ftypheic"),
        ("image/png", "GIF89a"), ("image/gif", "GIF88a"), ("video/mp4", "RIFF....AVI "), ("audio/mp4", "....ftypheic"),
        ("audio/wav", "RIFF....WEBP"), ("image/png", ""),
    ])
    func `a file that is something else is found out by its first bytes (abuse case 61)`(
        _ type: String,
        _ header: String
    ) throws {
        let mediaType = try #require(MediaType(type))
        let format = try #require(AttachmentFormat(mediaType))
        #expect(!format.isHeader(Array(header.utf8)))
    }
}
