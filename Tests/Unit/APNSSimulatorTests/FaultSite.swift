import APNS
import APNSProvider
import HTTP
import Networking
import Platform
import TestCertificates
import TestSupport

@testable import APNSSimulator
@testable import Bench

/// A fault server and clients on one machine, each with its own loop, and certificates right and wrong.
final class FaultSite: Sendable {
    let serverLoop: EventLoop
    let clientLoop: EventLoop
    let identities: FaultIdentities
    let authorityPEM: [UInt8]
    let clientContext: TLSContext

    init() throws {
        let authority = try TestAuthority()
        let stranger = try TestAuthority(name: "Nobody's authority")
        identities = FaultIdentities(
            right: try Self.context(authority.issue()),
            wrong: [
                .otherHost: try Self.context(authority.issue(names: "DNS:example.org")),
                .expired: try Self.context(authority.issue(validity: -2 * day ... -day)),
                .unknownAuthority: try Self.context(stranger.issue()),
            ]
        )
        authorityPEM = try authority.certificatePEM
        clientContext = try .client(trust: .pem(authorityPEM), alpn: ["h2"])
        serverLoop = try EventLoop()
        clientLoop = try EventLoop()
    }

    deinit {
        clientLoop.stopAnywhere()
        serverLoop.stopAnywhere()
    }

    private static func context(_ identity: TestAuthority.Identity) throws -> TLSContext {
        try unsafe .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2"]
        )
    }

    func serve(connections: [FaultPlan.Connection] = [], requests: [RequestFault?] = []) async throws -> FaultServer {
        try await .start(
            FaultPlan(connections: connections, requests: requests),
            identities: identities,
            loop: serverLoop
        )
    }

    func connect(
        to server: FaultServer,
        limits: HTTP2ClientLimits = HTTP2ClientLimits.patient,
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws -> HTTP2ClientConnection {
        try await .connect(
            host: "127.0.0.1",
            port: server.port,
            context: clientContext,
            loop: clientLoop,
            limits: limits,
            onEvent: onEvent
        )
    }

    static func tokens() throws -> ProviderTokenSource {
        ProviderTokenSource(
            key: try ThrowawayKeys.first(),
            keyID: try KeyID("ABC123DEFG"),
            teamID: try TeamID("DEF123GHIJ")
        )
    }

    static func id(_ number: Int) -> APNSID {
        APNSID(randomBytes: [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 14))
    }

    static func request(_ number: Int, body: [UInt8] = Array(#"{"aps":{"alert":"hi"}}"#.utf8)) -> HTTP2Request {
        var headers = HeaderBlock()
        headers.append(HeaderName.method, "POST")
        headers.append(HeaderName.scheme, "https")
        headers.append(HeaderName.authority, "localhost")
        headers.append(HeaderName.path, Array("/3/device/".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 64))
        headers.append(HeaderName.id, id(number).text)
        return HTTP2Request(headers: headers, body: body)
    }
}

extension HTTP2ClientConnection {
    func outcome(_ number: Int) async -> Result<HTTP2Response, TransportError> {
        do throws(TransportError) { return .success(try await send(FaultSite.request(number))) } catch {
            return .failure(error)
        }
    }

    func outcomes(_ numbers: Range<Int>) async -> [Result<HTTP2Response, TransportError>] {
        await withTaskGroup(of: (Int, Result<HTTP2Response, TransportError>).self) { group in
            for number in numbers {
                group.addTask(executorPreference: loop) { (number, await self.outcome(number)) }
            }
            var outcomes: [Int: Result<HTTP2Response, TransportError>] = [:]
            for await (number, outcome) in group { outcomes[number] = outcome }
            return numbers.compactMap { outcomes[$0] }
        }
    }
}

extension Result where Success == HTTP2Response, Failure == TransportError {
    var status: Int? {
        guard case .success(let response) = self else { return nil }
        return response.status
    }

    var error: TransportError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    var isNotProcessed: Bool {
        guard case .failure(.notProcessed) = self else { return false }
        return true
    }
}
