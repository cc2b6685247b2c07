import APNS
import DeviceLink
import HTTP
import Networking
import TestCertificates
import TestSupport
import Testing

@testable import APNSSimulator

struct CertificateConnectionTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority(name: "Authority of providers") }

    private func site(_ configure: (inout SimulatorConfiguration) throws -> Void = { _ in }) async throws -> Site {
        try await Site {
            $0.validation.clientAuthoritiesPEM = try authority.certificatePEM
            try configure(&$0)
        }
    }

    /// The answer to a push without a provider token, under this certificate.
    private func answer(
        _ site: Site,
        _ identity: TLSIdentity?,
        _ spoil: (inout Request) -> Void = { _ in }
    ) async throws -> HTTP2Response {
        let device = try await site.device()
        let connection = try await site.rawConnection(as: identity)
        var request = try Request()
        request[":path"] = "/3/device/\(device.deviceToken.hex)"
        request["authorization"] = nil
        spoil(&request)
        let response = try await connection.send(request.message)
        await connection.close()
        return response
    }

    /// The first GOAWAY to a client with this certificate; `nil` where the connection ends without one.
    private func goAway(_ site: Site, _ identity: TLSIdentity) async throws -> HTTP2ClientEvent? {
        let events = Recorder<HTTP2ClientEvent>()
        // `try?`: chance decides whether the connection opens before the simulator ends it.
        let connection = try? await site.rawConnection(as: identity, onEvent: events.record)
        for count in 1... {
            let last = await events.first(count)[count - 1]
            switch last {
            case .goAway: return last
            case .closed: return nil
            default: continue
            }
        }
        await connection?.close()
        return nil
    }

    private static func goAway(_ reason: String) -> HTTP2ClientEvent {
        .goAway(lastStreamID: 0, code: 0, debugData: Array(#"{"reason":"\#(reason)"}"#.utf8))
    }

    @Test
    func `a certificate pushes without a provider token`() async throws {
        let site = try await site()
        let response = try await answer(site, ProviderIdentity.universal.issue(by: authority))
        #expect(response.status == 200)
        await site.simulator.close()
    }

    @Test
    func `what stands in authorization does not matter beside a certificate`() async throws {
        let site = try await site()
        let response = try await answer(site, ProviderIdentity.universal.issue(by: authority)) {
            $0["authorization"] = "bearer nonsense"
        }
        #expect(response.status == 200)
        await site.simulator.close()
    }

    @Test
    func `the topic of a certificate with one topic may be left out`() async throws {
        let site = try await site()
        let response = try await answer(site, ProviderIdentity.oldStyle.issue(by: authority)) { $0["apns-topic"] = nil }
        #expect(response.status == 200)
        await site.simulator.close()
    }

    @Test
    func `a client without a certificate still comes with a token`() async throws {
        let site = try await site()
        #expect(try await answer(site, nil).body == Array(#"{"reason":"MissingProviderToken"}"#.utf8))
        let authorization = try Authorization().value
        #expect(try await answer(site, nil) { $0["authorization"] = authorization }.status == 200)
        await site.simulator.close()
    }

    @Test
    func `where no authority is set, a certificate is not asked for`() async throws {
        let site = try await Site()
        let response = try await answer(site, ProviderIdentity.universal.issue(by: authority))
        #expect(response.body == Array(#"{"reason":"MissingProviderToken"}"#.utf8))
        await site.simulator.close()
    }

    @Test
    func `a certificate for the other environment gets a complete handshake and a GOAWAY with the reason`() async throws
    {
        let site = try await site()
        let identity = try ProviderIdentity.productionOnly.issue(by: authority)
        #expect(try await goAway(site, identity) == Self.goAway("BadCertificateEnvironment"))
        await site.simulator.close()
        let production = try await self.site { $0.environment = .production }
        #expect(try await answer(production, identity).status == 200)
        await production.simulator.close()
    }

    @Test
    func `a request that came before its GOAWAY is not answered, because GOAWAY says so`() async throws {
        let site = try await site()
        let bytes = try await EagerProvider.exchange(
            RawFrame.preface + RawFrame.request(stream: 1, endsStream: true),
            as: ProviderIdentity.productionOnly.issue(by: authority),
            with: site
        )
        let frames = RawFrame.parse(bytes)
        let goAway = try #require(frames.first { $0.type == 7 })
        // Last stream 0, NO_ERROR, and the reason.
        #expect(
            goAway.payload == [UInt8](repeating: 0, count: 8) + Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8)
        )
        #expect(!frames.contains { $0.stream == 1 && $0.type == 1 })
        await site.simulator.close()
        // The request had no effect, either.
        #expect(site.events.all.isEmpty)
    }

    @Test(arguments: [ProviderIdentity.notForAPNs, .unreadableTopics])
    func `a certificate that is not for APNs gets a GOAWAY with the reason`(_ kind: ProviderIdentity) async throws {
        let site = try await site()
        #expect(try await goAway(site, kind.issue(by: authority)) == Self.goAway("BadCertificate"))
        await site.simulator.close()
    }

    /// An untrustworthy certificate, its alert (RFC 8446 section 6.2), and its fault.
    struct Untrusted: Sendable {
        let alert: Int
        let identity: TLSIdentity
        let authorityPEM: [UInt8]
        let revoked: Set<[UInt8]>

        static func all() throws -> [Untrusted] {
            let (ours, other) = (try TestAuthority(name: "Ours"), try TestAuthority(name: "Another"))
            let good = try ProviderIdentity.universal.issue(by: ours)
            let (pem, serial) = (try ours.certificatePEM, good.certificate.serialNumber)
            return [
                Untrusted(
                    alert: 48,
                    identity: try ProviderIdentity.universal.issue(by: other),
                    authorityPEM: pem,
                    revoked: []
                ),
                Untrusted(
                    alert: 45,
                    identity: try ProviderIdentity.expired.issue(by: ours),
                    authorityPEM: pem,
                    revoked: []
                ),
                Untrusted(alert: 44, identity: good, authorityPEM: pem, revoked: [serial]),
            ]
        }
    }

    @Test
    func `a certificate of others, out of its time or revoked does not get through the handshake`() async throws {
        for untrusted in try Untrusted.all() {
            let site = try await site {
                $0.validation.clientAuthoritiesPEM = untrusted.authorityPEM
                $0.validation.revokedSerialNumbers = untrusted.revoked
            }
            do {
                _ = try await site.rawConnection(as: untrusted.identity)
                Issue.record("alert \(untrusted.alert) did not come")
            } catch TransportError.tls(.alert(let code, _)) {
                #expect(code == untrusted.alert)
            }
            await site.simulator.close()
        }
    }

    @Test(arguments: [ValidationRules.UntrustedCertificate.goAway, .status])
    func `a certificate of others, out of its time or revoked can be told BadCertificate instead`(
        _ refusal: ValidationRules.UntrustedCertificate
    ) async throws {
        for untrusted in try Untrusted.all() {
            let site = try await site {
                $0.validation.clientAuthoritiesPEM = untrusted.authorityPEM
                $0.validation.revokedSerialNumbers = untrusted.revoked
                $0.validation.untrustedCertificate = refusal
            }
            if refusal == .goAway {
                #expect(try await goAway(site, untrusted.identity) == Self.goAway("BadCertificate"))
            } else {
                let response = try await answer(site, untrusted.identity)
                #expect(response.status == 403)
                #expect(response.body == Array(#"{"reason":"BadCertificate"}"#.utf8))
            }
            await site.simulator.close()
        }
    }

    @Test
    func `another certificate of the same authority is not revoked with it`() async throws {
        let revoked = try ProviderIdentity.universal.issue(by: authority).certificate.serialNumber
        let site = try await site { $0.validation.revokedSerialNumbers = [revoked] }
        let response = try await answer(site, ProviderIdentity.universal.issue(by: authority))
        #expect(response.status == 200)
        await site.simulator.close()
    }

    @Test
    func `authorities that cannot be read stop the simulator before it begins`() async throws {
        await #expect(throws: TransportError.tls(.authorityUnreadable)) {
            _ = try await Site { $0.validation.clientAuthoritiesPEM = [0x20] }
        }
    }
}
