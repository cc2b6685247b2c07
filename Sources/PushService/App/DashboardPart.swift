import HTTP
import Networking
import Platform
import ServiceParts

/// Listener of the dashboard, if configured.
final class DashboardPart: ServicePart {
    let name: StaticString = "dashboard"
    private static let connectionCountMax = 256

    private let context: ServiceContext
    private let first: LoadedConfiguration
    private let application: DashboardApplication?
    private let front = Guarded<HTTPFront?>(nil)

    init(_ context: ServiceContext, _ loaded: LoadedConfiguration, _ api: APIApplication) {
        self.context = context
        first = loaded
        application = loaded.configuration.dashboard.map { DashboardApplication(context, $0, api) }
    }

    func start() async throws(ServiceError) {
        guard let application, let dashboard = first.configuration.dashboard else { return }
        var limits = FrontPart.limits(first.configuration)
        limits.connectionCountMax = Self.connectionCountMax
        limits.loopbackConnectionCountMax = Self.connectionCountMax
        let address = dashboard.address ?? "127.0.0.1"
        // Server-sent events are HTTP/1.1's.
        let tls = dashboard.address == nil ? nil : try FrontPart.tls(first, alpn: ["http/1.1"])
        let front: HTTPFront
        do throws(TransportError) {
            if let tls {
                front = try await .start(
                    listens: [HTTPFront.Listen(address: address, port: dashboard.port)],
                    context: tls,
                    loop: context.loop,
                    limits: limits,
                    application: application
                )
            } else {
                front = try await .startPlain(
                    port: dashboard.port,
                    loop: context.loop,
                    limits: limits,
                    application: application
                )
            }
        } catch {
            throw .listen(address: address, port: dashboard.port, error)
        }
        let port = front.loopbackPort ?? front.ports.first ?? dashboard.port
        context.log.event(
            "listening",
            at: context.clock.now(),
            [("address", address), ("port", Int(port)), ("for", "dashboard")]
        )
        self.front.withLock { $0 = front }
    }

    func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        guard next.configuration.dashboard?.address != nil, let front = front.withLock({ $0 }) else { return }
        await front.replaceContext(try FrontPart.tls(next, alpn: ["http/1.1"]))
    }

    func drain(until deadline: MonotonicTime) async {
        let front = front.withLock { front in
            defer { front = nil }
            return front
        }
        guard let front, let application else { return }
        await context.loop.run { application.feed.close() }
        await front.close()
    }
}
