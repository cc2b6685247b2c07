@testable import HTTP
@testable import Networking

/// The client of one case, in one of two forms: two requests, of which the server lets one begin.
enum ConformanceClient: String, CaseIterable, Sendable {
    /// Tasks that wait for their answers; the connection queues the second.
    case connection
    /// The provider's pool, which starts each when there is room.
    case pool

    typealias Ending = Result<Int, TransportError>

    /// No deadline may fire on a starved machine.
    static let patience: TLSChannelLimits = {
        var limits = TLSChannelLimits()
        (limits.connectDeadline, limits.handshakeDeadline, limits.closeDeadline) =
            (.seconds(600), .seconds(600), .seconds(600))
        return limits
    }()

    private static let limits: HTTP2ClientLimits = {
        var limits = HTTP2ClientLimits.patient
        limits.channel = patience
        return limits
    }()

    private static let request = HTTP2Request.post("/", body: Array("body".utf8))

    /// Runs until both requests have ended and the connection is closed.
    ///
    /// - Returns: every ending that each of the two got.
    func converse(_ loopback: Loopback, _ port: UInt16) async throws -> [[Ending]] {
        switch self {
        case .connection: try await Self.converseInTasks(loopback, port)
        case .pool: await Self.converseInTurns(loopback, port)
        }
    }

    private static func converseInTasks(_ loopback: Loopback, _ port: UInt16) async throws -> [[Ending]] {
        let client = try await loopback.connect(to: port, limits: limits)
        let tasks = (0..<2).map { _ in
            Task(executorPreference: loopback.clientLoop) { () async -> Ending in
                do throws(TransportError) {
                    return .success(try await client.send(request).status)
                } catch {
                    return .failure(error)
                }
            }
        }
        let endings = [[await tasks[0].value], [await tasks[1].value]]
        await client.close()
        return endings
    }

    private static func converseInTurns(_ loopback: Loopback, _ port: UInt16) async -> [[Ending]] {
        let closed = Signal<[[Ending]]>()
        let (loop, context) = (loopback.clientLoop, loopback.clientContext)
        loop.perform {
            let core = HTTP2ClientCore(loop: loop, limits: limits)
            let owner = Owner(core)
            core.owner = owner
            core.onEvent = { event in
                guard case .closed = event else { return }
                owner.startRest()
                closed.send(owner.endings)
            }
            core.connect(host: "127.0.0.1", port: port, context: context) { _ in owner.connectionDidProgress() }
        }
        return await closed.next() ?? []
    }

    private final class Owner: HTTP2ClientOwner {
        private let core: HTTP2ClientCore
        private var startedCount = 0
        private(set) var endings: [[Ending]] = [[], []]

        init(_ core: HTTP2ClientCore) {
            self.core = core
        }

        func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>) {
            endings[Int(id)].append(result.map(\.status))
        }

        func connectionDidProgress() {
            while startedCount < endings.count, core.isOpen, core.openStreamCount < core.peerMaxConcurrentStreams {
                start()
            }
            if !endings.contains(where: \.isEmpty) { core.close(gracefully: true) }
        }

        /// Starts the second request on the closed connection, which refuses it.
        func startRest() {
            while startedCount < endings.count { start() }
        }

        private func start() {
            let id = startedCount
            startedCount += 1
            do throws(TransportError) {
                try core.start(
                    ConformanceClient.request.headers,
                    body: ConformanceClient.request.body,
                    id: UInt64(id),
                    deadline: .now() + .seconds(120)
                )
            } catch {
                endings[id].append(.failure(error))
            }
        }
    }
}
