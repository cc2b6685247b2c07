private import AttachmentStream
private import Envelope
private import Networking
package import Primitives

/// A host of attachments of any length, all zeros and sealed on demand, so that no disk is measured.
package final class SealedZerosServer: Sendable {
    static let key = [UInt8](repeating: 7, count: 32)
    static let pathPrefix = "/v1/blobs/"

    package let port: UInt16
    private let loop: EventLoop

    private init(port: UInt16, loop: EventLoop) {
        self.port = port
        self.loop = loop
    }

    deinit { loop.stop() }

    /// Starts a server on 127.0.0.1, which listens until it is dropped.
    ///
    /// - Parameter certificateChainPEM: A chain for localhost.
    package static func start(
        certificateChainPEM: [UInt8],
        privateKeyPEM: borrowing SecretBytes
    ) async throws(BenchError) -> SealedZerosServer {
        do {
            let context = try privateKeyPEM.withBytes { key throws(TLSError) in
                try TLSContext.server(
                    certificateChainPEM: certificateChainPEM,
                    privateKeyPEM: key,
                    alpn: ["http/1.1"]
                )
            }
            let loop = try EventLoop()
            let port = await loop.run {
                Result { () throws(TransportError) in
                    try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop) { _ in
                        SealedZerosConnection()
                    }
                    .port
                }
            }
            return SealedZerosServer(port: try port.get(), loop: loop)
        } catch {
            throw .operationFailed
        }
    }
}

/// One request and its answer. Lives on its loop.
private final class SealedZerosConnection: TLSChannelDelegate {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 14)

    private var head: [UInt8] = []
    private var sealer: ChunkSealer?
    private var missingByteCount = 0

    func channelDidOpen(_ channel: TLSChannel) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for index in bytes.indices { head.append(bytes[index]) }
        guard head.suffix(4) == [13, 10, 13, 10] else { return }
        let target = head.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first ?? []
        let digits = target.dropFirst(SealedZerosServer.pathPrefix.utf8.count)
        head = []
        guard let byteCount = UInt64(String(decoding: digits, as: UTF8.self)) else { return channel.close() }
        missingByteCount = Int(AttachmentLength.padded(byteCount))
        let sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: SealedZerosServer.key.span.bytes),
            salt: [UInt8](repeating: 1, count: 24),
            context: []
        )
        let length = "Content-Length: \(AttachmentLength.stored(byteCount))"
        do throws(TransportError) {
            try channel.write(Array("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n".utf8) + sealer.head)
        } catch {
            return channel.close()
        }
        self.sealer = consume sealer
        channelIsWritable(channel)
    }

    func channelIsWritable(_ channel: TLSChannel) {
        do {
            while channel.isWritable, missingByteCount > 0 {
                let count = min(missingByteCount, Self.zeros.count)
                missingByteCount -= count
                var chunks: [UInt8] = []
                try unsafe sealer?.update(Self.zeros.span.bytes.extracting(first: count)) { chunk in
                    unsafe chunk.withUnsafeBytes { unsafe chunks.append(contentsOf: $0) }
                }
                try channel.write(chunks)
            }
            guard channel.isWritable, let sealer = sealer.take() else { return }
            var last: [UInt8] = []
            try sealer.finish { chunk in unsafe chunk.withUnsafeBytes { unsafe last.append(contentsOf: $0) } }
            try channel.write(last)
            channel.close()
        } catch {
            channel.close()
        }
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
}
