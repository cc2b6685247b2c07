import Envelope
import Platform
import TestSupport
import TestWebServer
import Testing

@testable import NotificationCore

/// A device's results with a hostile host or sender: nothing of it is shown, the reason is given, and no file is left.
struct HostileHostTests {
    private typealias Reason = MissingAttachment.Reason

    private func expect(
        _ reason: MissingAttachment.Reason,
        _ blob: Blob,
        type: String = "image/png",
        requestCount: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation,
        script: @escaping TestWebServer.Script
    ) async throws {
        let device = try await FetchingExtension.start({ $0.retryCountMax = 1 }, script: script)
        let fetched = await device.fetch([try blob.pointer(device.url(), type: type)])
        #expect(fetched.last?.ready.isEmpty == true, sourceLocation: sourceLocation)
        #expect(fetched.last?.missing.map(\.reason) == [reason], sourceLocation: sourceLocation)
        #expect(device.server.requests.count == requestCount, sourceLocation: sourceLocation)
        #expect(try device.files() == [], sourceLocation: sourceLocation)
    }

    @Test func `an endless body ends at the length that the message says (abuse case 53)`() async throws {
        let blob = try Blob.picture()
        try await expect(.notDownloaded(.wrongLength), blob) { _ in
            [.answer(), .send(blob.sealed), .sendForever([UInt8](repeating: 0, count: 10_000))]
        }
    }

    @Test(arguments: [-1, 1, 5_000_000_000])
    func `another length than the message's is refused (abuse case 53)`(_ difference: Int) async throws {
        let blob = try Blob.picture()
        try await expect(.notDownloaded(.wrongLength), blob) { _ in
            [.answer("200 OK", ["Content-Length": "\(blob.sealed.count + difference)"]), .send(blob.sealed), .hold]
        }
    }

    @Test(arguments: [
        "http://localhost/v1/blobs/a", "file:///etc/passwd", "https://evil.example/v1/blobs/a", "/v1/blobs/a",
        "https://169.254.169.254/latest", "https://10.0.0.1/v1/blobs/a", "//evil.example/", "",
    ])
    func `a redirect is refused, wherever it leads (abuse case 58)`(_ location: String) async throws {
        for status in ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"] {
            try await expect(.notDownloaded(.redirected), try Blob.picture(byteCount: 500)) { _ in
                [.answer(status, ["Location": location], body: []), .close]
            }
        }
    }

    @Test func `a blob that is gone is said to be`() async throws {
        try await expect(.notDownloaded(.status(404)), try Blob.picture(byteCount: 500)) { _ in
            [.answer("404 Not Found", body: Array("<html>".utf8)), .close]
        }
    }

    @Test func `a body that claims to be compressed is refused`() async throws {
        let blob = try Blob.picture()
        try await expect(.notDownloaded(.wrongAnswer), blob) { _ in
            [.answer("200 OK", ["Content-Encoding": "gzip"], body: blob.sealed), .close]
        }
    }

    @Test func `a connection that is cut again and again is given up, and leaves no file`() async throws {
        let blob = try Blob.picture()
        try await expect(.notDownloaded(.connectionLost), blob, requestCount: 2) { request in
            let start = request.number * 20_000
            let field = "bytes \(start)-\(blob.sealed.count - 1)/\(blob.sealed.count)"
            return [
                .answer(request.number == 0 ? "200 OK" : "206 Partial Content", ["Content-Range": field]),
                .send(Array(blob.sealed.dropFirst(start).prefix(20_000))), .cut,
            ]
        }
    }

    @Test(arguments: ["", "bytes 0-9/10", "bytes 20000-20001/*"])
    func `what is not the rest that was asked for is refused`(_ range: String) async throws {
        let blob = try Blob.picture()
        try await expect(.notDownloaded(.wrongAnswer), blob, requestCount: 2) { request in
            let length = ["Content-Length": "\(blob.sealed.count)"]
            guard request.number > 0 else {
                return [.answer("200 OK", length), .send(Array(blob.sealed.prefix(20_000))), .close]
            }
            return range.isEmpty
                ? [.answer("200 OK", length), .send(blob.sealed), .close]
                : [.answer("206 Partial Content", ["Content-Range": range], body: blob.sealed), .close]
        }
    }

    @Test(arguments: [0, 23, 24, 55, 56, 16_456, 40_000])
    func `one bit that is not the sealed one opens nothing (abuse case 54)`(_ place: Int) async throws {
        let blob = try Blob.picture()
        var sealed = blob.sealed
        sealed[place] ^= 1
        try await expect(.notOpened, blob) { [sealed] _ in [.answer(body: sealed), .close] }
    }

    @Test func `another file of the same length opens nothing (abuse case 54)`() async throws {
        let other = try Blob.picture(seed: 2)
        try await expect(.notOpened, try Blob.picture(seed: 1)) { _ in [.answer(body: other.sealed), .close] }
    }

    @Test(arguments: ["<html>", "PK\u{3}\u{4}", "<svg xmlns", "....ftypheic", "GIF89a\u{1}\u{0}\u{1}\u{0}", ""])
    func `a file that is not what its sender says is not shown (abuse case 61)`(_ text: String) async throws {
        let blob = try Blob(Array(text.utf8))
        try await expect(.notOfItsType, blob, type: "image/jpeg") { _ in [.answer(body: blob.sealed), .close] }
    }

    @Test func `a small file that is a picture beyond all size is not shown (abuse case 62)`() async throws {
        let blob = try Blob(TestPicture.png(width: 65_535, height: 65_535))
        try await expect(.tooManyPixels, blob) { _ in [.answer(body: blob.sealed), .close] }
    }

    @Test(
        arguments: [("image/png", 10_000_001), ("audio/mpeg", 5_000_001), ("video/mp4", 50_000_001)]
            as [(String, UInt64)]
    )
    func `a file that iOS would not take is not asked for (abuse case 63)`(_ type: String, _ count: UInt64) async throws
    {
        let blob = try Blob.picture(byteCount: 500)
        let device = try await FetchingExtension.start { _ in [.close] }
        let fetched = await device.fetch([try blob.pointer(device.url(), type: type, byteCount: count)])
        #expect(fetched.last?.missing.map(\.reason) == [.tooLong(byteCountMax: count - 1)])
        #expect(device.server.requests.isEmpty)
    }

    @Test(arguments: ["https://evil.example/v1/blobs/a", "https://localhost:1/v1/blobs/a"])
    func `a host that the app does not name is not asked (abuse case 57)`(_ url: String) async throws {
        let blob = try Blob.picture(byteCount: 500)
        let device = try await FetchingExtension.start { _ in [.close] }
        let urls = [url, device.server.url("/v2/blobs/a"), device.url("x").replacing("localhost", with: "127.0.0.1")]
        for url in urls {
            let fetched = await device.fetch([try blob.pointer(url)])
            #expect(fetched.last?.missing.map(\.reason) == [.hostNotAllowed], "\(url)")
        }
        #expect(device.server.requests.isEmpty)
    }

    @Test func `a type that iOS does not show is not asked for`() async throws {
        let device = try await FetchingExtension.start { _ in [.close] }
        let pointer = try Blob.picture(byteCount: 500).pointer(device.url(), type: "image/svg+xml")
        #expect(await device.fetch([pointer]).last?.missing.map(\.reason) == [.unknownType])
        #expect(device.server.requests.isEmpty)
    }

    @Test func `a folder for temporary files that is gone costs the picture (abuse case 65)`() async throws {
        let device = try await FetchingExtension.start(hasFolder: false) { _ in [.close] }
        let fetched = await device.fetch([try Blob.picture(byteCount: 500).pointer(device.url())])
        #expect(fetched.last?.missing.map(\.reason) == [.noRoom])
        #expect(device.server.requests.isEmpty)
    }

    @Test func `a full disk costs the picture (abuse case 65)`() async throws {
        let device = try await FetchingExtension.start { _ in [.close] }
        let pointer = try Blob.picture(byteCount: 500).pointer(device.url())
        var conditions = SimulatedDevice.Conditions()
        conditions.storage = .full
        let phone = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { 1_800_000_000_000 },
            conditions: conditions
        )
        let task = phone.run { Task { await device.fetch([pointer]) } }
        #expect(await task.value.last?.missing.map(\.reason) == [.noRoom])
        #expect(try device.files() == [])
    }
}
