import APNS
import HTTP
import Networking
import Platform
import TestSupport
import Testing

@testable import APNSProvider

/// A provider whose endpoint's name comes and goes.
struct NameServiceTests {
    /// A resolver that finds nothing when a test says so.
    private final class Names: Sendable {
        private let state = Guarded((isThere: true, missCount: 0))
        let missedTwice = Signal()

        var isThere: Bool {
            get { state.withLock { $0.isThere } }
            set { state.withLock { $0.isThere = newValue } }
        }

        var resolver: Resolver {
            Resolver(threadCountMax: 1) { [self] (_, port) throws(TransportError) in
                let missCount = state.withLock { state in
                    if !state.isThere { state.missCount += 1 }
                    return state.isThere ? 0 : state.missCount
                }
                guard missCount == 0 else {
                    if missCount == 2 { missedTwice.set() }
                    throw .hostNotFound(reason: "a test's")
                }
                return try SocketAddress.resolve(host: "127.0.0.1", port: port)
            }
        }
    }

    @Test func `a lane that has worked waits for its name to come back, and loses nothing meanwhile`() async throws {
        let site = try APNSStandIn()
        let names = Names()
        let server = try await site.serve { push in
            // The next push needs a new connection, and so the name.
            if push.connectionNumber == 1 {
                names.isThere = false
                push.connection.goAway(code: 0, debugData: [])
            }
            push.accept()
        }
        let client = try site.client(port: server.port, host: "localhost") {
            $0.resolver = names.resolver
            $0.backoff.floor = .milliseconds(1)
            $0.backoff.ceiling = .milliseconds(5)
        }
        #expect(try await client.send(try APNSStandIn.notification(0)).status == 200)
        async let later = client.send(try (1...20).map { try APNSStandIn.notification($0) })
        await names.missedTwice.wait()
        names.isThere = true
        let answers = try await later.map { try $0.get() }
        #expect(answers.count == 20 && answers.allSatisfy { $0.status == 200 && $0.attemptCount == 1 })
        await client.close()
        await server.close()
    }

    @Test func `a name that was never there is told at once`() async throws {
        let site = try APNSStandIn()
        let names = Names()
        names.isThere = false
        let client = try site.client(port: 1, host: "localhost") { $0.resolver = names.resolver }
        let error = await #expect(throws: ProviderError.self) {
            _ = try await client.send(try APNSStandIn.notification(0))
        }
        guard case .notProcessed(let failure) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.cause == .connection(.hostNotFound(reason: "a test's")) && failure.attemptCount == 0)
        await client.close()
    }
}
