import TestCertificates
import Testing

@testable import Networking

/// A server's further treatment of certificates: revocation, and acceptance with a later refusal.
@Suite struct ClientTrustTests {
    private let stage: TLSStage

    init() throws { stage = try TLSStage() }

    private func pair(
        _ identity: TLSIdentity?,
        revoked: Set<[UInt8]> = [],
        admitsUnverified: Bool = false
    ) throws -> TLSPair {
        let authorities = TLSTrust.pem(try stage.authority.certificatePEM)
        var trust = TLSContext.ClientTrust(authorities: authorities, isCertificateRequired: false)
        trust.revokedSerialNumbers = revoked
        trust.admitsUnverified = admitsUnverified
        return try stage.pair(stage.clientContext(identity: identity), stage.serverContext(clientTrust: trust))
    }

    @Test func `a revoked certificate is refused, and the client hears why`() throws {
        let identity = try stage.clientIdentity()
        let pair = try pair(identity, revoked: [identity.certificate.serialNumber])
        #expect(throws: TLSError.self) { try pair.shakeHands() }
        #expect(!pair.isDone)
        // Its words depend on OpenSSL's version.
        #expect { try pair.exchange() } throws: { error in
            if case .alert(code: 44, _)? = error as? TLSError { true } else { false }
        }
    }

    @Test func `revocation is for one serial number`() throws {
        let (one, other) = (try stage.clientIdentity(), try stage.clientIdentity())
        #expect(one.certificate.serialNumber != other.certificate.serialNumber)
        let pair = try pair(one, revoked: [other.certificate.serialNumber])
        try pair.shakeHands()
        #expect(pair.isDone && pair.isClientVerified)
    }

    @Test func `a serial number has no leading zeros`() throws {
        // The authority's own serial number is 1; those that it issues count on from there.
        #expect(try stage.clientIdentity().certificate.serialNumber == [3])
    }

    @Test func `who is let in unverified is known for it`() throws {
        let good = try stage.clientIdentity()
        let cases: [(TLSIdentity?, Set<[UInt8]>, Bool)] = [
            (nil, [], true), (good, [], true), (good, [good.certificate.serialNumber], false),
            (try stage.clientIdentity(issuer: TestAuthority(name: "Another")), [], false),
            (try stage.clientIdentity(validity: -2 * day ... -day), [], false),
            (try stage.clientIdentity(validity: day...2 * day), [], false),
        ]
        for (number, (identity, revoked, isVerified)) in cases.enumerated() {
            let pair = try pair(identity, revoked: revoked, admitsUnverified: true)
            try pair.shakeHands()
            #expect(pair.isDone, "case \(number)")
            #expect(pair.isClientVerified == isVerified, "case \(number)")
            #expect(pair.certificateAtServer?.der == identity?.certificate.der, "case \(number)")
        }
    }
}
