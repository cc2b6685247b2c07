import Envelope
import HTTP
package import Networking
import Primitives

/// Serves the control API on 127.0.0.1, in plain HTTP/1.1.
package final class ControlServer: Sendable {
    package let port: UInt16
    private static let bodyByteCountMax = 1 << 16

    /// Gives full control of the simulator.
    package let bearer: String
    private let server: HTTPFront

    /// - Parameters:
    ///   - port: 0: any.
    ///   - pages: files and calls beside the API's.
    ///   - onStop: called on the simulator's loop.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func start(
        _ simulator: Simulator,
        port: UInt16,
        pages: (any ControlPages)? = nil,
        onStop: @escaping @Sendable () -> Void
    ) async throws(TransportError) -> ControlServer {
        var random = SystemRandom()
        let bearer = Base64URL.string(random.bytes(count: 32))
        let router = ControlRouter(bearer: bearer, hasPages: pages != nil)
        let core = simulator.core
        let application = HTTPRequestApplication(
            body: { (pages?.bodyByteCountMax($0.path) ?? Self.bodyByteCountMax, .keyless(network: [])) },
            respond: { request, responder in
                if let pages, respond(request, responder, router, pages) { return }
                responder.respond(answer(request, router, core.value, onStop: onStop))
            }
        )
        let server = try await HTTPFront.startPlain(port: port, loop: core.loop, application: application)
        return ControlServer(port: server.loopbackPort ?? port, bearer: bearer, server: server)
    }

    private init(port: UInt16, bearer: String, server: HTTPFront) {
        self.port = port
        self.bearer = bearer
        self.server = server
    }

    /// Returns when the port is free.
    package func close() async { await server.close() }

    /// - Returns: false for a request of the API's.
    private static func respond(
        _ request: HTTPRequest,
        _ responder: HTTPResponder,
        _ router: ControlRouter,
        _ pages: any ControlPages
    ) -> Bool {
        do throws(ControlProblem) {
            if let file = pages.file(request) {
                try router.checkHost(request)
                responder.respond(file)
                return true
            }
            guard pages.bodyByteCountMax(request.path) != nil else { return false }
            try router.checkCaller(request)
            pages.answer(request, responder)
        } catch {
            responder.respond(error.response)
        }
        return true
    }

    private static func answer(
        _ request: HTTPRequest,
        _ router: ControlRouter,
        _ core: SimulatorCore,
        onStop: @Sendable () -> Void
    ) -> HTTPAnswer {
        do throws(ControlProblem) {
            let (call, controlRequest) = try router.call(for: request)
            let answer = try call.answer(controlRequest, core)
            if answer.endsSimulator { onStop() }
            return answer.response
        } catch {
            return error.response
        }
    }
}
