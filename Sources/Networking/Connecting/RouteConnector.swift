/// Connects to a host by TCP, through a proxy if there is one. Lives on one loop; the owner sets the deadline.
final class RouteConnector {
    private let loop: EventLoop
    private let host: String
    private let port: UInt16
    private let negotiation: ProxyNegotiation?
    private let tcp: TCPConnector
    private var tunnel: ProxyTunnel?
    /// Nil after its call or `cancel`.
    private var completion: ((consuming Result<Socket, TransportError>) -> Void)?

    var phase: TransportError.Phase { tunnel == nil ? .connect : .proxy }

    /// - Parameter completion: Called on the loop, once, never from within `connect`; not after `cancel`.
    /// - Throws: `.proxy(.targetInvalid)`.
    init(
        _ route: TCPRoute,
        host: String,
        port: UInt16,
        loop: EventLoop,
        completion: @escaping (consuming Result<Socket, TransportError>) -> Void
    ) throws(TransportError) {
        if let proxy = route.proxy {
            do throws(ProxyError) {
                negotiation = try ProxyNegotiation(proxy, host: host, port: port)
            } catch {
                throw .proxy(error)
            }
        } else {
            negotiation = nil
        }
        self.host = route.proxy?.host ?? host
        self.port = route.proxy?.port ?? port
        self.loop = loop
        self.completion = completion
        tcp = TCPConnector(loop: loop, route: route)
    }

    func connect() {
        tcp.connect(host: host, port: port) { [self] result in didConnect(result) }
    }

    private func didConnect(_ result: consuming Result<Socket, TransportError>) {
        guard let negotiation else { return complete(result) }
        switch consume result {
        case .success(let socket):
            let tunnel = ProxyTunnel(negotiation, loop: loop) { [self] result in complete(result) }
            self.tunnel = tunnel
            tunnel.begin(over: socket)
        case .failure(.loopStopped): complete(.failure(.loopStopped))
        case .failure(let error): complete(.failure(.proxy(.unreachable(error))))
        }
    }

    private func complete(_ result: consuming Result<Socket, TransportError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    func cancel() {
        completion = nil
        tcp.cancel()
        tunnel?.cancel()
        tunnel = nil
    }
}
