import TestCertificates

@testable import Networking

struct TLSStage {
    let authority: TestAuthority
    private let server: TestAuthority.Identity

    init(
        authority name: String = "Test authority",
        names: String = "DNS:localhost,DNS:other.example,IP:127.0.0.1"
    ) throws {
        authority = try TestAuthority(name: name)
        server = try authority.issue(names: names)
    }

    func serverContext(
        clientTrust: TLSContext.ClientTrust? = nil,
        resumption: Bool = false,
        uptime: @escaping @Sendable () -> MonotonicTime = { .now() }
    ) throws -> TLSContext {
        let identity = try unsafe TLSIdentity.server(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        return try .server(
            identity: identity,
            alpn: ["h2"],
            clientTrust: clientTrust,
            resumption: resumption,
            uptime: uptime
        )
    }

    func clientContext(identity: TLSIdentity? = nil, resumption: Bool = true) throws -> TLSContext {
        try .client(
            trust: .pem(authority.certificatePEM),
            alpn: ["h2"],
            identity: identity,
            resumption: resumption
        )
    }

    func clientIdentity(
        _ name: String = "Test client",
        issuer: TestAuthority? = nil,
        validity: ClosedRange<Int> = -day...day
    ) throws -> TLSIdentity {
        let issued = try (issuer ?? authority).issueClient(name: name, validity: validity)
        let password: [UInt8] = []
        return try unsafe TLSIdentity(
            certificateChainPEM: issued.certificatePEM.span.bytes,
            privateKeyPEM: issued.privateKeyPEM.span.bytes,
            password: password.span.bytes
        )
    }

    func pair(
        _ client: TLSContext,
        _ server: TLSContext,
        host: String = "localhost",
        port: UInt16 = 443
    ) throws -> TLSPair {
        TLSPair(
            client: try TLSSession(client: client, hostName: host, port: port),
            server: try TLSSession(server: server)
        )
    }
}
