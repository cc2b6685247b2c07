import Glibc
import TestSupport
import Testing

@testable import Transport

/// A server in plain text, for this machine.
@Suite struct HTTP1PlainTests {
    @Test func `a request in plain text is answered`() throws {
        let server = try HTTP1Server.startPlain(port: 0, handle: HTTP1Loopback.mirror)
        let answer = try PlainCaller.call(server.port, "POST /a?b=c", ["Host: x"], body: "hi")
        #expect(answer.status == 200 && answer.body == "POST /a?b=c hi", "\(answer)")
    }

    /// 127.0.0.0/8, in the machine's order of bytes.
    private static func isLoopback(_ address: String) -> Bool { address.hasSuffix("7F") }

    @Test func `a server in plain text listens on this machine only`() throws {
        let server = try HTTP1Server.startPlain(port: 0, handle: HTTP1Loopback.mirror)
        // The table may change while it is read, and a line be passed over.
        var lines: [String] = []
        while !lines.contains("0100007F"), lines.allSatisfy(Self.isLoopback) {
            lines = try Loopbacks.listeningAddresses(port: server.port)
        }
        // Another test may listen on the same number of another such address.
        #expect(lines.allSatisfy(Self.isLoopback), "\(lines)")
    }

    @Test func `a body that is too large is refused`() throws {
        var limits = HTTP1Loopback.patient
        limits.bodyByteCountMax = 10
        let server = try HTTP1Server.startPlain(port: 0, limits: limits, handle: HTTP1Loopback.mirror)
        let answer = try PlainCaller.call(server.port, "POST /", ["Host: x"], body: "more than ten")
        #expect(answer.status == 413, "\(answer)")
    }

    @Test func `a request that can be read in two ways ends its connection`() throws {
        let server = try HTTP1Server.startPlain(port: 0, handle: HTTP1Loopback.mirror)
        let client = try PlainCaller(port: server.port)
        client.write(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhiGET / HTTP/1.1\r\n\r\n"
        )
        let answer = client.rest()
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && !answer.contains("200"), "\(answer)")
    }

    @Test func `who asks a server to stop hears its answer`() async throws {
        // Stops from within: the answer is still to be written then.
        let stops = Recorder<Void>()
        let server = try HTTP1Server.startPlain(port: 0) { _ in
            stops.record(())
            return HTTP1Response(status: 202, body: .bytes(Array("bye".utf8)))
        }
        let port = server.port
        async let answer = Task.detached { try PlainCaller.call(port, "POST /stop", ["Host: x"]) }.value
        await stops.wait()
        await server.close()
        let (status, _, body) = try await answer
        #expect(status == 202 && body == "bye")
    }

    @Test func `CONNECT gets no connection that stays open`() throws {
        let server = try HTTP1Server.startPlain(port: 0, handle: HTTP1Loopback.mirror)
        let client = try PlainCaller(port: server.port)
        client.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!client.rest().contains("200"))
    }
}

/// Something that happens once.
private final class Recorder<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Value.self) }

    func record(_ value: Value) { continuation.yield(value) }

    func wait() async {
        for await _ in stream { return }
    }
}

private enum Loopbacks {
    /// The local addresses that listen on a port, as the kernel writes them.
    static func listeningAddresses(port: UInt16) throws -> [String] {
        let hex = String(port, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 4 - hex.count) + hex
        return try SystemText.contents("/proc/net/tcp").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 3, words[3] == "0A", words[1].hasSuffix(":" + padded) else { return nil }
            return String(words[1].prefix(8))
        }
    }
}

private enum SystemText {
    static func contents(_ path: String) throws -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += chunk[..<count]
        }
    }
}
