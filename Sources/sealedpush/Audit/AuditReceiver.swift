import CommandLineTool
import HTTP
import Networking
import Platform

/// Receiver of webhook calls on 127.0.0.1, in plain text; keeps what comes.
final class AuditReceiver: Sendable {
    private static let bodyByteCountMax = 1 << 20

    private let server: HTTPFront
    private let kept: Guarded<[HTTPRequest]>

    private init(_ server: HTTPFront, _ kept: Guarded<[HTTPRequest]>) {
        self.server = server
        self.kept = kept
    }

    static func start() async throws(CommandError) -> AuditReceiver {
        let kept = Guarded<[HTTPRequest]>([])
        let application = HTTPRequestApplication(
            body: { _ in (bodyByteCountMax, .keyless(network: [])) },
            respond: { request, responder in
                kept.withLock { $0.append(request) }
                responder.respond(HTTPAnswer(status: 204))
            }
        )
        do throws(TransportError) {
            let server = try await HTTPFront.startPlain(port: 0, loop: try EventLoop(), application: application)
            return AuditReceiver(server, kept)
        } catch {
            throw .failed("no webhook can be received on 127.0.0.1: \(error.sentence)")
        }
    }

    var port: UInt16 { server.loopbackPort ?? 0 }

    var requests: [HTTPRequest] { kept.withLock { $0 } }
}
