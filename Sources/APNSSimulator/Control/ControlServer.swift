import Envelope
import Primitives
package import Transport

/// Serves the control API on 127.0.0.1, in plain HTTP/1.1, so that people can use curl.
package final class ControlServer: Sendable {
    package let port: UInt16
    /// What every call must bring: whoever has it can do anything with the simulator.
    package let bearer: String
    private let server: HTTP1Server

    /// - Parameters:
    ///   - simulator: what is controlled.
    ///   - port: 0 lets the system choose.
    ///   - onStop: called when a caller asks the simulator to end; on a thread that it must not hold up.
    /// - Returns: the server, which ends when its last reference goes.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func start(
        _ simulator: Simulator,
        port: UInt16,
        onStop: @escaping @Sendable () -> Void
    ) throws(TransportError) -> ControlServer {
        var random = SystemRandom()
        let bearer = Base64URL.string(random.bytes(count: 32))
        let router = ControlRouter(bearer: bearer)
        let core = simulator.core
        var limits = HTTP1Limits()
        limits.bodyByteCountMax = 1 << 16
        let server = try HTTP1Server.startPlain(port: port, limits: limits) { request in
            answer(request, router, core, onStop: onStop)
        }
        return ControlServer(port: server.port, bearer: bearer, server: server)
    }

    private init(port: UInt16, bearer: String, server: HTTP1Server) {
        self.port = port
        self.bearer = bearer
        self.server = server
    }

    /// Ends all connections, and returns when the port is free.
    package func close() async { await server.close() }

    private static func answer(
        _ request: HTTP1Request,
        _ router: ControlRouter,
        _ core: LoopBound<SimulatorCore>,
        onStop: @Sendable () -> Void
    ) -> HTTP1Response {
        let (call, controlRequest): (ControlCall, ControlRequest)
        do throws(ControlProblem) {
            (call, controlRequest) = try router.call(for: request)
        } catch {
            return error.response
        }
        let (response, endsSimulator) = core.loop.wait {
            do throws(ControlProblem) {
                let answer = try call.answer(controlRequest, core.value)
                return (answer.response, answer.endsSimulator)
            } catch {
                return (error.response, false)
            }
        }
        if endsSimulator { onStop() }
        return response
    }
}
