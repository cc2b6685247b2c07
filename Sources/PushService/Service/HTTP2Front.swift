import Synchronization
package import Transport

/// The application on every address of the configuration, by HTTP/2 over TLS.
package final class HTTP2Front: ServicePart {
    package let name: StaticString = "front"
    private struct Open {
        let asked: ServiceConfiguration.Listen
        let server: HTTP2Server
    }

    private let context: ServiceContext
    private let application: any HTTPApplication
    private let first: LoadedConfiguration
    private let open = Mutex<[Open]>([])

    package init(_ context: ServiceContext, _ loaded: LoadedConfiguration, _ application: any HTTPApplication) {
        self.context = context
        self.application = application
        first = loaded
    }

    package func start() async throws(ServiceError) { try await listen(first, earlier: []) }

    /// Connections that are open end in order; who comes gets the new certificate.
    package func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        let earlier = open.withLock { open in
            defer { open = [] }
            return open.map { ($0.asked, $0.server.port) }
        }
        try await listen(next, earlier: earlier)
    }

    package func drain(until deadline: MonotonicTime) async {
        let servers = open.withLock { open in
            defer { open = [] }
            return open.map(\.server)
        }
        for server in servers { await server.close() }
    }

    private func listen(
        _ loaded: LoadedConfiguration,
        earlier: [(ServiceConfiguration.Listen, UInt16)]
    ) async throws(ServiceError) {
        let tls: TLSContext
        do throws(TLSError) {
            tls = try TLSContext.server(identity: loaded.files.tls, alpn: ["h2"], resumption: true)
        } catch {
            throw .tls(error)
        }
        var limits = HTTP2ServerLimits()
        limits.connectionCountMax = loaded.configuration.limits.connectionCountMax
        limits.requestDeadline = .seconds(loaded.configuration.limits.requestDeadlineSeconds)
        limits.settings.bodyByteCountMax = loaded.configuration.limits.bodyByteCountMax
        limits.settings.bodyByteCountHardMax = 2 * loaded.configuration.limits.bodyByteCountMax
        var servers: [Open] = []
        for listen in loaded.configuration.listens {
            // What the system chose once stays.
            let port = earlier.first { $0.0 == listen }?.1 ?? listen.port
            let application = application
            do throws(TransportError) {
                let server = try await HTTP2Server.start(
                    address: listen.address,
                    port: port,
                    context: tls,
                    loop: context.loop,
                    limits: limits
                ) { HTTP2ApplicationHandler(application, remoteAddress: $0.remoteAddress) }
                servers.append(Open(asked: listen, server: server))
            } catch {
                throw .listen(address: listen.address, port: port, error)
            }
        }
        for open in servers {
            context.log.event(
                "listening",
                at: context.clock.now(),
                [("address", open.asked.address), ("port", "\(open.server.port)")]
            )
        }
        open.withLock { $0 = servers }
    }
}

/// One connection's requests for an application.
private final class HTTP2ApplicationHandler: HTTP2Handler {
    private let application: any HTTPApplication
    private let remoteAddress: String?

    init(_ application: any HTTPApplication, remoteAddress: String?) {
        self.application = application
        self.remoteAddress = remoteAddress
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        let responder = HTTPResponder { answer in
            responder.respond(status: answer.status, headers: answer.fields, body: answer.body)
        }
        switch application.begin(HTTPHead(fields: request.headers, remoteAddress: remoteAddress)) {
        case .answer(let answer): responder.respond(answer)
        case .read(let byteCountMax, let exchange):
            let isWhole = request.bodyByteCount <= min(byteCountMax, request.body.count)
            exchange.finish(isWhole ? .whole(request.body) : .tooLarge(byteCount: request.bodyByteCount), responder)
        }
    }
}
