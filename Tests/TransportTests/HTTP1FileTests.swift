import Foundation
import TestCertificates
import TestSupport
import Testing

@testable import Transport

/// Answers that are read from a file while they are sent.
@Suite struct HTTP1FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Bytes that differ at every place.
    private static func bytes(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// A server whose only answer is a slice of a file.
    private func serve(
        _ bytes: [UInt8],
        offset: UInt64,
        byteCount: UInt64,
        limits: HTTP1Limits = HTTP1Loopback.patient
    ) throws -> HTTP1Loopback {
        let path = folder.path("file")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try HTTP1Loopback(limits: limits) { _ in
            let slice = HTTP1FileSlice(owning: unsafe open(path, O_RDONLY), offset: offset, byteCount: byteCount)
            return HTTP1Response(status: 200, body: .file(slice))
        }
    }

    @Test(arguments: [(0, 0), (0, 1), (5, 65_536), (1, 65_537), (100, 1_000_000)])
    func `a slice comes as it is in the file, and the connection goes on`(_ offset: Int, _ byteCount: Int) throws {
        let bytes = Self.bytes(offset + byteCount + 3)
        let loopback = try serve(bytes, offset: UInt64(offset), byteCount: UInt64(byteCount))
        let client = try loopback.client()
        for _ in 0..<2 {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try #require(client.response())
            #expect(response["content-length"] == "\(byteCount)")
            #expect(response.body.elementsEqual(bytes[offset..<offset + byteCount]))
        }
        client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try #require(client.response(isHead: true))["content-length"] == "\(byteCount)")
    }

    @Test func `a file that is shorter than it was ends the connection`() throws {
        let loopback = try serve(Self.bytes(200_000), offset: 0, byteCount: 300_000)
        let client = try loopback.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response() == nil)
    }

    @Test func `the file of a client that goes away in the middle is closed`() async throws {
        let loopback = try serve([UInt8](repeating: 1, count: 8_000_000), offset: 0, byteCount: 8_000_000)
        for _ in 0..<20 {
            let client = try loopback.client()
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.receive(1).count == 1)
        }
        while try openFileCount() > 0 { await Task.yield() }
        let client = try loopback.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try #require(client.response()).body.count == 8_000_000)
    }

    /// How many descriptors of this process are the served file.
    private func openFileCount() throws -> Int {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/" + $0 }
        // One that is closed meanwhile is none.
        return links.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) == folder.path("file") }
    }

    @Test func `a client that does not read is given up`() throws {
        var limits = HTTP1Loopback.patient
        limits.answerDeadline = .milliseconds(50)
        let bytes = [UInt8](repeating: 1, count: 32_000_000)
        let loopback = try serve(bytes, offset: 0, byteCount: 32_000_000, limits: limits)
        let client = try loopback.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        // Everybody else is served meanwhile, until the server has hung up.
        var isOpen = true
        while isOpen { isOpen = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(client.rest().count < 32_000_000)
        while try openFileCount() > 0 {}
    }

    @Test func `a server that ends in the middle ends its files`() async throws {
        let loopback = try serve([UInt8](repeating: 1, count: 32_000_000), offset: 0, byteCount: 32_000_000)
        let client = try loopback.client()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.receive(1).count == 1)
        await loopback.server.close()
        #expect(try openFileCount() == 0)
        #expect(client.rest().count < 32_000_000)
    }
}
