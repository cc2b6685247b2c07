import Networking
import Platform
import TestCertificates

/// A server that answers each request by its script, closes, or stays silent. Bodies are not read.
final class CuttingServer: Sendable {
    enum Answer: Sendable {
        /// A status line and fields, without their last line's end.
        case head(String)
        case cut
        case silence
    }

    let port: UInt16
    private let loop: EventLoop
    private let log: Guarded<[String]>

    /// The script is called once for each request, with its number.
    static func start(
        _ identity: TestAuthority.Identity,
        script: @escaping @Sendable (Int) -> Answer
    ) async throws -> CuttingServer {
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["http/1.1"]
        )
        let loop = try EventLoop()
        let log = Guarded<[String]>([])
        let port = await loop.run { () -> Result<UInt16, TransportError> in
            Result { () throws(TransportError) in
                try TLSListener(
                    address: "127.0.0.1",
                    port: 0,
                    context: context,
                    loop: loop,
                    limits: .patient
                ) { _ in
                    Connection { head in
                        script(
                            log.withLock { log in
                                log.append(head)
                                return log.count - 1
                            }
                        )
                    }
                }
                .port
            }
        }
        return CuttingServer(port: try port.get(), loop: loop, log: log)
    }

    private init(port: UInt16, loop: EventLoop, log: Guarded<[String]>) {
        self.port = port
        self.loop = loop
        self.log = log
    }

    deinit { loop.stopAnywhere() }

    var requests: [String] { log.withLock { $0 } }
}

/// One request for each connection.
private final class Connection: TLSChannelDelegate {
    private let answer: (String) -> CuttingServer.Answer
    private var received: [UInt8] = []
    private var isAnswered = false

    init(answer: @escaping (String) -> CuttingServer.Answer) { self.answer = answer }

    func channelDidOpen(_ channel: TLSChannel) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for index in bytes.indices { received.append(bytes[index]) }
        let text = String(decoding: received, as: UTF8.self)
        guard !isAnswered, let end = text.firstRange(of: "\r\n\r\n") else { return }
        isAnswered = true
        do throws(TransportError) {
            switch answer(String(text[..<end.lowerBound])) {
            case .head(let head): try channel.write(Array((head + "\r\n\r\n").utf8))
            case .cut: channel.abort(.loopStopped)
            case .silence: break
            }
        } catch {
            channel.abort(error)
        }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
}
