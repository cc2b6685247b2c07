import Foundation
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct FrontFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func bytes(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func stage(
        _ bytes: [UInt8],
        offset: Int = 0,
        byteCount: Int,
        responseDeadline: Duration = .seconds(600)
    ) async throws -> FrontStage {
        let path = folder.path("file")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var limits = HTTPLimits.patient
        limits.responseDeadline = responseDeadline
        return try await FrontStage(limits: limits) { _ in
            let slice = HTTPFileSlice(
                owning: unsafe open(path, O_RDONLY | O_CLOEXEC),
                offset: UInt64(offset),
                byteCount: UInt64(byteCount)
            )
            return .answer(HTTPAnswer(status: 200, body: .file(slice)))
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(arguments: [(0, 0), (0, 1), (5, 65_536), (1, 65_537), (100, 1_000_000)])
    func `a slice comes as it is in the file, and the connection goes on`(
        _ offset: Int,
        _ byteCount: Int
    ) async throws {
        let bytes = Self.bytes(offset + byteCount + 3)
        let stage = try await stage(bytes, offset: offset, byteCount: byteCount)
        let client = try stage.client()
        let http2 = try await stage.connect()
        for _ in 0..<2 {
            client.send(Self.request)
            let response = try #require(client.response())
            #expect(response["content-length"] == "\(byteCount)")
            #expect(response.body.elementsEqual(bytes[offset..<offset + byteCount]))
            let other = try await http2.send(.make("GET", "/"))
            #expect(other.headers["content-length"]?.elementsEqual("\(byteCount)".utf8) == true)
            #expect(other.body.elementsEqual(bytes[offset..<offset + byteCount]))
        }
        client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + Self.request)
        #expect(client.response(isHead: true)?["content-length"] == "\(byteCount)")
        #expect(client.response()?.body.count == byteCount)
        #expect(try await http2.send(.make("HEAD", "/")).body.isEmpty)
        await http2.close()
        await stage.front.close(gracefully: false)
        #expect(try openFileCount() == 0)
    }

    @Test func `answers of files that are asked for at once come in their order`() async throws {
        let bytes = Self.bytes(200_000)
        let stage = try await stage(bytes, byteCount: bytes.count)
        let client = try stage.client()
        client.send(String(repeating: Self.request, count: 5))
        for _ in 0..<5 { #expect(client.response()?.body == bytes) }
        await stage.front.close(gracefully: false)
    }

    @Test func `a file that is shorter than it was ends the connection, or its stream alone`() async throws {
        let stage = try await stage(Self.bytes(200_000), byteCount: 300_000)
        let client = try stage.client()
        client.send(Self.request)
        #expect(client.response() == nil)
        let http2 = try await stage.connect()
        for _ in 0..<2 {
            await #expect(throws: TransportError.ambiguous(.reset(code: 2))) { try await http2.send(.make("GET", "/")) }
        }
        await http2.close()
        await stage.front.close(gracefully: false)
        #expect(try openFileCount() == 0)
    }

    @Test func `the file of a client that goes away in the middle is closed`() async throws {
        let stage = try await stage([UInt8](repeating: 1, count: 8_000_000), byteCount: 8_000_000)
        for _ in 0..<20 {
            let client = try stage.client()
            client.send(Self.request)
            #expect(client.receive(1).count == 1)
        }
        await stage.wait { await stage.front.connectionCount() == 0 }
        #expect(try openFileCount() == 0)
        let client = try stage.client()
        client.send(Self.request)
        #expect(try #require(client.response()).body.count == 8_000_000)
        await stage.front.close(gracefully: false)
    }

    @Test func `a client that takes nothing is given up`() async throws {
        let bytes = [UInt8](repeating: 1, count: 32_000_000)
        let stage = try await stage(bytes, byteCount: bytes.count, responseDeadline: .milliseconds(50))
        let client = try stage.client()
        client.send(Self.request)
        await stage.wait { await stage.front.connectionCount() == 0 }
        #expect(client.rest().count < 32_000_000)
        await stage.front.close()
    }

    @Test func `a server that ends in the middle ends its files`() async throws {
        let stage = try await stage([UInt8](repeating: 1, count: 32_000_000), byteCount: 32_000_000)
        let client = try stage.client()
        client.send(Self.request)
        #expect(client.receive(1).count == 1)
        await stage.front.close(gracefully: false)
        #expect(try openFileCount() == 0)
        #expect(client.rest().count < 32_000_000)
    }

    private func openFileCount() throws -> Int {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/" + $0 }
        // A descriptor closed meanwhile does not count.
        return links.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) == folder.path("file") }
    }
}
