import HTTP
import Networking
import Platform
import ServiceParts

final class FrontPart: ServicePart {
    let name: StaticString = "front"
    private let context: ServiceContext
    private let application: APIApplication
    private let first: LoadedConfiguration
    private let front = Guarded<HTTPFront?>(nil)
    private let socket = Guarded<SocketFile?>(nil)

    init(_ context: ServiceContext, _ loaded: LoadedConfiguration, _ application: APIApplication) {
        self.context = context
        self.application = application
        first = loaded
    }

    func start() async throws(ServiceError) {
        let configuration = first.configuration
        let listens = configuration.listens.map { HTTPFront.Listen(address: $0.address, port: $0.port) }
        let tls = try Self.tls(first)
        let socket: SocketFile?
        do throws(SocketFileError) {
            socket = try configuration.socket.map { place throws(SocketFileError) in try SocketFile(place) }
        } catch {
            throw .socket(error)
        }
        self.socket.withLock { $0 = socket }
        let front: HTTPFront
        do throws(TransportError) {
            front = try await .start(
                listens: listens,
                context: tls,
                loopbackPort: configuration.loopbackPort,
                socket: configuration.socket.map { ($0.path, $0.mode) },
                loop: context.loop,
                limits: Self.limits(configuration),
                application: application
            )
        } catch {
            throw Self.error(error, configuration)
        }
        for (listen, port) in zip(listens, front.ports) { logEvent(listen.address, port) }
        if let port = front.loopbackPort { logEvent("127.0.0.1", port) }
        if let socket = configuration.socket {
            context.log.event("listening", at: context.clock.now(), [("socket", socket.path)])
        }
        self.front.withLock { $0 = front }
    }

    /// New connections get certificate and limits, all connections keys and rates.
    func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        let tls = try Self.tls(next)
        let front = front.withLock { $0 }
        await front?.replaceContext(tls)
        await front?.replaceLimits(Self.limits(next.configuration))
        let application = application
        await context.loop.run { application.reload() }
    }

    func drain(until deadline: MonotonicTime) async {
        let front = front.withLock { front in
            defer { front = nil }
            return front
        }
        let application = application
        await context.loop.run { application.drain() }
        socket.withLock { $0?.remove() }
        await front?.close()
        socket.withLock { $0 = nil }
    }

    static func tls(
        _ loaded: LoadedConfiguration,
        alpn: [String] = ["h2", "http/1.1"]
    ) throws(ServiceError) -> TLSContext {
        do throws(TLSError) {
            return try .server(
                identity: loaded.files.tls,
                alpn: alpn,
                requiresALPN: false,
                resumption: true
            )
        } catch {
            throw .tls(error)
        }
    }

    private func logEvent(_ address: String, _ port: UInt16) {
        context.log.event("listening", at: context.clock.now(), [("address", address), ("port", Int(port))])
    }

    private static func error(_ error: TransportError, _ configuration: ServiceConfiguration) -> ServiceError {
        let first = configuration.listens[0]
        guard case .addressInUse(let port) = error else {
            return .listen(address: first.address, port: first.port, error)
        }
        let listen = configuration.listens.first { $0.port == port }
        return .listen(address: listen?.address ?? "127.0.0.1", port: port, error)
    }

    static func limits(_ configuration: ServiceConfiguration) -> HTTPLimits {
        var http = limits(configuration.limits)
        guard let proxies = configuration.proxies else { return http }
        http.isProxy = { host in IPAddress(host).map { proxies.contains($0) } ?? false }
        return http
    }

    static func limits(_ limits: ServiceLimits) -> HTTPLimits {
        var http = HTTPLimits()
        http.connectionCountMax = limits.connectionCountMax
        http.connectionCountPerAddressMax = limits.connectionCountOfAddressMax
        http.loopbackConnectionCountMax = limits.loopbackConnectionCountMax
        http.maxConcurrentStreams = UInt32(clamping: limits.streamCountMax)
        http.handshakeDeadline = .seconds(limits.handshakeDeadlineSeconds)
        http.requestDeadline = .seconds(limits.requestDeadlineSeconds)
        http.responseDeadline = .seconds(limits.responseDeadlineSeconds)
        http.idleDeadline = .seconds(limits.idleDeadlineSeconds)
        return http
    }
}
