import Envelope
import Foundation
import Platform
import TestSupport
import TestWebServer
import Testing

@testable import NotificationCore

/// A device's results with an honest host.
struct EncryptedAttachmentFetcherTests {
    @Test func `a picture is fetched and opened under a name of its own (abuse case 60)`() async throws {
        let blob = try Blob.picture()
        let device = try await FetchingExtension.start { _ in [.answer(body: blob.sealed), .close] }
        let pointer = try blob.pointer(device.url(), name: "../../x\u{1}.exe")
        let fetched = try #require(await device.fetch([pointer]).last)
        let file = try #require(fetched.ready.first)
        #expect(fetched.missing.isEmpty && file.type == "public.png" && file.id == blob.id.text)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data(blob.file))
        let name = try #require(file.path.split(separator: "/").last)
        #expect(name.count == 36 && name.hasSuffix(".png") && name.dropLast(4).allSatisfy(\.isHexDigit))
        #expect(try device.files() == ["png"])
    }

    @Test(arguments: [1, 40_000, 16_384 - 45, 100_000])
    func `a file arrives whole in pieces of one byte (abuse case 64)`(_ byteCount: Int) async throws {
        let blob = try Blob.picture(byteCount: max(byteCount, 60))
        let device = try await FetchingExtension.start { _ in
            [
                .answer("200 OK", ["Content-Length": "\(blob.sealed.count)"]),
                .sendOneByOne(Array(blob.sealed.prefix(3_000))), .send(Array(blob.sealed.dropFirst(3_000))), .close,
            ]
        }
        let fetched = await device.fetch([try blob.pointer(device.url())])
        #expect(fetched.last?.ready.count == 1)
    }

    @Test func `thumbnails come first, and go when their pictures are there`() async throws {
        let thumbnail = try Blob.picture(byteCount: 500, seed: 1)
        let picture = try Blob.picture(byteCount: 20_000, seed: 2)
        let sound = try Blob(Array("ID3 and more".utf8), seed: 3)
        let device = try await FetchingExtension.start { request in
            let blob = ["/v1/blobs/t": thumbnail, "/v1/blobs/p": picture][request.target] ?? sound
            return [.answer(body: blob.sealed), .close]
        }
        let pointers = [
            try sound.pointer(device.url("s"), type: "audio/mpeg"),
            try thumbnail.pointer(device.url("t"), isThumbnail: true), try picture.pointer(device.url("p")),
        ]
        let fetched = await device.fetch(pointers)
        #expect(device.server.requests.map(\.target) == ["/v1/blobs/t", "/v1/blobs/s", "/v1/blobs/p"])
        #expect(
            fetched.map { $0.ready.map(\.id) } == [
                [thumbnail.id.text], [sound.id.text, thumbnail.id.text], [sound.id.text, picture.id.text],
            ]
        )
        #expect(fetched.last?.missing == [])
        #expect(try device.files() == ["mp3", "png"])
    }

    @Test func `what nobody wants any more is deleted, and nothing more is fetched`() async throws {
        let blobs = [try Blob.picture(byteCount: 500, seed: 1), try Blob.picture(byteCount: 500, seed: 2)]
        let device = try await FetchingExtension.start { request in
            [.answer(body: blobs[request.number].sealed), .close]
        }
        let pointers = try blobs.map { try $0.pointer(device.url()) }
        _ = await device.fetch(pointers) { _ in false }
        #expect(device.server.requests.count == 1)
        #expect(try device.files() == [])
    }

    @Test func `a thumbnail that was shown when the time was over stays`() async throws {
        let thumbnail = try Blob.picture(byteCount: 500, seed: 1)
        let picture = try Blob.picture(byteCount: 500, seed: 2)
        let device = try await FetchingExtension.start { request in
            [.answer(body: (request.number == 0 ? thumbnail : picture).sealed), .close]
        }
        let pointers = [
            try thumbnail.pointer(device.url(), type: "image/png", isThumbnail: true),
            try picture.pointer(device.url()),
        ]
        let fetched = await device.fetch(pointers) { $0.missing.count == 1 }
        let shown = try #require(fetched.first?.ready.first)
        #expect(try device.files() == ["png"])
        #expect(FileManager.default.fileExists(atPath: shown.path))
    }

    @Test func `a connection that is cut is taken up where it was`() async throws {
        let blob = try Blob.picture()
        let device = try await FetchingExtension.start { request in
            guard let range = request.fields["range"], let offset = Int(range.dropFirst(6).dropLast()) else {
                return [
                    .answer("200 OK", ["Content-Length": "\(blob.sealed.count)"]),
                    .send(Array(blob.sealed.prefix(25_000))), .close,
                ]
            }
            let rest = Array(blob.sealed.dropFirst(offset))
            let field = "bytes \(offset)-\(blob.sealed.count - 1)/\(blob.sealed.count)"
            // Cut twice: once more in the middle of a chunk.
            let sent = request.number == 1 ? Array(rest.prefix(100)) : rest
            return [
                .answer("206 Partial Content", ["Content-Range": field, "Content-Length": "\(rest.count)"]),
                .send(sent),
                .close,
            ]
        }
        let fetched = await device.fetch([try blob.pointer(device.url())])
        let file = try #require(fetched.last?.ready.first)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data(blob.file))
        #expect(device.server.requests.map { $0.fields["range"] } == [nil, "bytes=25000-", "bytes=25100-"])
    }

    @Test func `a server that has no time is asked again, a few times`() async throws {
        let blob = try Blob.picture(byteCount: 500)
        let device = try await FetchingExtension.start { _ in [.answer("503 Service Unavailable", body: []), .close] }
        let fetched = await device.fetch([try blob.pointer(device.url())])
        #expect(fetched.last?.missing.map(\.reason) == [.notDownloaded(.status(503))])
        #expect(device.server.requests.count == 4)
    }

    @Test func `together they are no longer than the app allows`() async throws {
        let blobs = try (1...3).map { try Blob.picture(byteCount: 20_000, seed: $0) }
        let device = try await FetchingExtension.start {
            $0.byteCountMax = 45_000
        } script: { request in
            [.answer(body: blobs[request.number].sealed), .close]
        }
        let fetched = await device.fetch(try blobs.map { try $0.pointer(device.url()) })
        #expect(fetched.last?.ready.count == 2)
        #expect(fetched.last?.missing.map(\.reason) == [.overBudget])
    }
}
