import APNS
import HTTP
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

/// A client's error when it gets no connection, and success of the next attempt.
@Suite struct FaultConnectTests {
    private func failure(_ fault: ConnectFault) async throws -> TransportError? {
        let site = try FaultSite()
        let server = try await site.serve(connections: [.init(connectFault: fault)])
        var limits = HTTP2ClientLimits.patient
        let patience = limits.channel.handshakeDeadline
        // Every other fault ends by itself, however slow a starved machine is.
        if fault == .silence || fault == .noSettings { limits.channel.handshakeDeadline = .milliseconds(100) }
        var failure: TransportError?
        do throws(TransportError) { _ = try await connect(site, server, limits) } catch { failure = error }
        limits.channel.handshakeDeadline = patience
        // A refusing port does so for a moment only.
        var next: HTTP2ClientConnection?
        while next == nil { next = try? await connect(site, server, limits) }
        #expect(await next?.outcome(1).status == 200)
        await next?.close()
        let ledger = await server.ledger()
        #expect(ledger.connections.map(\.fault) == [fault, nil])
        #expect(ledger.connections.map(\.requestCount) == [0, 1])
        await server.close()
        return failure
    }

    private func connect(
        _ site: FaultSite,
        _ server: FaultServer,
        _ limits: HTTP2ClientLimits
    ) async throws(TransportError) -> HTTP2ClientConnection {
        do { return try await site.connect(to: server, limits: limits) } catch {
            guard let error = error as? TransportError else { throw .cancelled }
            throw error
        }
    }

    @Test(arguments: [ConnectFault.reset, .refused(for: .milliseconds(10))])
    func `a connection that is reset at once is lost`(_ fault: ConnectFault) async throws {
        let failure = try await failure(fault)
        #expect(failure == .connectionLost || failure == .tls(.truncated))
    }

    @Test func `a port that refuses says so`() async throws {
        let site = try FaultSite()
        let server = try await site.serve(connections: [.init(connectFault: .refused(for: .seconds(3_600)))])
        await #expect(throws: TransportError.self) { try await site.connect(to: server) }
        // Where another test's child still has a copy of the listener before its exec, that resets the caller.
        var failure: TransportError?
        repeat {
            do throws(TransportError) {
                _ = try await connect(site, server, .patient)
                failure = nil
            } catch { failure = error }
        } while failure == .connectionLost || failure == .tls(.truncated)
        #expect(failure == .connectionRefused)
        await server.close()
    }

    @Test(arguments: [ConnectFault.silence, .noSettings])
    func `a server that never speaks TLS, or never HTTP-2, runs out of time`(_ fault: ConnectFault) async throws {
        #expect(try await failure(fault) == .deadlineExceeded(.handshake))
    }

    @Test func `an alert instead of a handshake is told`() async throws {
        guard case .tls(.alert(code: 40, _))? = try await failure(.alert(code: 40)) else {
            Issue.record("not the alert")
            return
        }
    }

    @Test func `a handshake that is cut off, and bytes that are no TLS, are told apart`() async throws {
        #expect(try await failure(.cut) == .tls(.truncated))
        #expect(try await failure(.notTLS) == .tls(.notTLS))
    }

    @Test func `a certificate of another host, an old one and a stranger's are told apart`() async throws {
        guard case .tls(.wrongHost)? = try await failure(.certificate(.otherHost)),
            case .tls(.certificateExpired)? = try await failure(.certificate(.expired)),
            case .tls(.unknownAuthority)? = try await failure(.certificate(.unknownAuthority))
        else {
            Issue.record("not told apart")
            return
        }
    }

    @Test func `a goaway instead of a welcome ends the connection before its first request`() async throws {
        let site = try FaultSite()
        let server = try await site.serve(connections: [.init(connectFault: .goAway(.badCertificateEnvironment))])
        let events = Recorder<HTTP2ClientEvent>()
        // The client may see SETTINGS or GOAWAY first.
        if let client = try? await site.connect(to: server, onEvent: events.record) {
            #expect(await client.outcome(1).isNotProcessed)
            await client.close()
        }
        let json = Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8)
        #expect(events.all.contains(.goAway(lastStreamID: 0, code: 0, debugData: json)))
        #expect(await server.ledger()[FaultSite.id(1)].processedCount == 0)
        await server.close()
    }
}
