public import APNS
package import Transport

/// A certificate from Apple's developer account, with its key: what tells APNs who is pushing where no token does.
///
/// What it may push, and where to, is read when it is loaded. The key can be used for connections; it cannot be copied
/// out or printed.
///
/// - Source: "Establishing a certificate-based connection to APNs".
public final class ClientCertificate: Sendable {
    /// Which of Apple's two services.
    public typealias Environment = APNSEnvironment

    /// A topic that it may push to.
    public typealias Topic = CertificateTopic

    /// Both for what Apple has issued since 2015.
    public var environments: Set<Environment> { claims.environments }
    /// In the certificate's order. Older certificates list none: then it is the app's bundle id, from the subject.
    public var topics: [Topic] { claims.topics }
    /// The subject's CN: "Apple Push Services: com.example.app", say.
    public let commonName: String?
    /// The subject's UID: the bundle id, or the topic of an MDM server.
    public let userID: String?
    /// Seconds since 1970, both included.
    public let validity: ClosedRange<Int64>
    /// What a TLS context shows to APNs.
    package let identity: TLSIdentity
    private let claims: CertificateClaims

    /// Out of one or two PEM texts; text around the blocks is skipped.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: the certificate, and the intermediate ones if it has some.
    ///   - privateKeyPEM: its key, in PKCS #8 or PKCS #1; may be the same text.
    ///   - password: UTF-8, for an encrypted key; empty for none.
    /// - Throws: what is wrong with the file, `.notForAPNs`, `.topicsUnreadable`. Dates are for `check(at:for:)`.
    public convenience init(
        certificateChainPEM: RawSpan,
        privateKeyPEM: RawSpan,
        password: RawSpan
    ) throws(ClientCertificateError) {
        let identity: TLSIdentity
        do throws(TLSIdentityError) {
            identity = try TLSIdentity(
                certificateChainPEM: certificateChainPEM,
                privateKeyPEM: privateKeyPEM,
                password: password
            )
        } catch {
            throw ClientCertificateError(error)
        }
        try self.init(identity)
    }

    /// Out of a PKCS #12 file, as the keychain of macOS exports it (`.p12`).
    ///
    /// - Parameters:
    ///   - pkcs12: the file.
    ///   - password: UTF-8; empty for none.
    /// - Throws: what is wrong with the file, `.notForAPNs`, `.topicsUnreadable`. Dates are for `check(at:for:)`.
    public convenience init(pkcs12: RawSpan, password: RawSpan) throws(ClientCertificateError) {
        let identity: TLSIdentity
        do throws(TLSIdentityError) {
            identity = try TLSIdentity(pkcs12: pkcs12, password: password)
        } catch {
            throw ClientCertificateError(error)
        }
        try self.init(identity)
    }

    private init(_ identity: TLSIdentity) throws(ClientCertificateError) {
        claims = try CertificateClaims(identity.certificate)
        commonName = identity.certificate.commonName
        userID = identity.certificate.userID
        // A certificate that ends before it begins is never valid, and ranges have no such form.
        let notBefore = identity.certificate.notBefore
        validity = notBefore...max(notBefore, identity.certificate.notAfter)
        self.identity = identity
    }

    // MARK: Before it is used

    /// Whether it can be used now, for an environment.
    ///
    /// - Parameters:
    ///   - unixSeconds: now, in seconds since 1970.
    ///   - environment: where the pushes go; `nil` for a server that is not Apple's.
    /// - Throws: `.expired`, `.notYetValid`, `.wrongEnvironment`.
    public func check(at unixSeconds: Int64, for environment: Environment?) throws(ClientCertificateError) {
        guard unixSeconds <= validity.upperBound else { throw .expired(notAfter: validity.upperBound) }
        guard unixSeconds >= validity.lowerBound else { throw .notYetValid(notBefore: validity.lowerBound) }
        if let environment, !environments.contains(environment) { throw .wrongEnvironment(needed: environment) }
    }

    /// Whole days until it expires, rounded down: 0 on the last day, negative afterwards. For an alarm in time: Apple's
    /// certificates last a year.
    ///
    /// - Parameter unixSeconds: now, in seconds since 1970.
    /// - Returns: days.
    public func daysToExpiry(at unixSeconds: Int64) -> Int {
        let (rest, overflow) = validity.upperBound.subtractingReportingOverflow(unixSeconds)
        guard !overflow else { return unixSeconds < 0 ? .max : .min }
        // Rounds down below zero, too: an hour after the end is day -1.
        return Int(rest >= 0 ? rest / 86_400 : (rest + 1) / 86_400 - 1)
    }

    // MARK: What it may push

    /// Whether APNs takes `pushType` on `topic` from this certificate; what it does not take it answers with
    /// TopicDisallowed, and too many of those cost the connection.
    package func allows(_ topic: APNS.Topic, _ pushType: PushType) -> Bool { claims.allows(topic, pushType) }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The name, and nothing of the key.
    public var description: String { "ClientCertificate(\(commonName ?? "without a name"))" }

    /// `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
