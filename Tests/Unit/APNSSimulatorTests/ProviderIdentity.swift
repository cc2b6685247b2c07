import HTTP
import Networking
import TestCertificates

@testable import APNSSimulator

enum ProviderIdentity: Sendable {
    /// Both environments; the topics of one app.
    case universal
    case productionOnly
    /// One topic, which only the name says, as before 2015.
    case oldStyle
    case notForAPNs
    case expired
    case unreadableTopics

    private static let bundleID = "com.example.chat"
    private static let topics = AppleLikeCertificate.topics(
        AppleLikeCertificate.list([
            (bundleID, ["app"]), (bundleID + ".voip", ["voip"]), (bundleID + ".complication", ["complication"]),
        ])
    )

    func issue(by authority: TestAuthority) throws -> TLSIdentity {
        let (sandbox, production) = (AppleLikeCertificate.sandbox(), AppleLikeCertificate.production())
        let issued =
            switch self {
            case .universal:
                try authority.issueClient(userID: Self.bundleID, extensions: [sandbox, production, Self.topics])
            case .productionOnly:
                try authority.issueClient(userID: Self.bundleID, extensions: [production, Self.topics])
            case .oldStyle:
                try authority.issueClient(
                    name: "Apple Development IOS Push Services: \(Self.bundleID)",
                    userID: Self.bundleID
                )
            case .notForAPNs: try authority.issueClient(userID: Self.bundleID, extensions: [Self.topics])
            case .expired:
                try authority.issueClient(
                    userID: Self.bundleID,
                    extensions: [sandbox, Self.topics],
                    validity: -day * 30 ... -day
                )
            case .unreadableTopics:
                try authority.issueClient(
                    userID: Self.bundleID,
                    extensions: [sandbox, AppleLikeCertificate.topics([0x31, 0])]
                )
            }
        return try unsafe .server(
            certificateChainPEM: issued.certificatePEM,
            privateKeyPEM: issued.privateKeyPEM.span.bytes
        )
    }
}

extension Site {
    /// A connection that shows a certificate, or none for `nil`.
    func rawConnection(
        as identity: TLSIdentity?,
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws -> HTTP2ClientConnection {
        let context = try TLSContext.client(trust: .pem(authorityPEM), alpn: ["h2"], identity: identity)
        return try await .connect(
            host: "127.0.0.1",
            port: simulator.pushPort,
            context: context,
            loop: clientLoop,
            limits: .patient,
            onEvent: onEvent
        )
    }
}
