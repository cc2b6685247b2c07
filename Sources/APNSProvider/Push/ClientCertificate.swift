public import APNS
package import Networking

/// Certificate from Apple's developer account, with its key, which cannot be copied out or printed.
public final class ClientCertificate: Sendable {
    /// One of Apple's two environments.
    public typealias Environment = APNSEnvironment

    /// A topic that it may push to.
    public typealias Topic = CertificateTopic

    /// Both, for certificates since 2015.
    public var environments: Set<Environment> { claims.environments }
    /// In the certificate's order. Older certificates list none; then it is the bundle id in the subject.
    public var topics: [Topic] { claims.topics }
    /// Subject's CN, such as "Apple Push Services: com.example.app".
    public let commonName: String?
    /// Subject's UID: the bundle id, or the topic of an MDM server.
    public let userID: String?
    /// Seconds since 1970, both ends included.
    public let validity: ClosedRange<Int64>
    package let identity: TLSIdentity
    private let claims: CertificateClaims

    /// Reads one or two PEM texts; skips text around the blocks.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: With any intermediate ones.
    ///   - privateKeyPEM: PKCS #8 or PKCS #1; may be the same text.
    ///   - password: UTF-8; empty for none.
    /// - Throws: The file's fault, `.notForAPNs`, `.topicsUnreadable`. Dates are checked by `check(at:for:)`.
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

    /// Reads a PKCS #12 file, as macOS's keychain exports it (`.p12`).
    ///
    /// - Parameters:
    ///   - pkcs12: DER.
    ///   - password: UTF-8; empty for none.
    /// - Throws: The file's fault, `.notForAPNs`, `.topicsUnreadable`. Dates are checked by `check(at:for:)`.
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
        // A range cannot express a certificate that ends before it begins.
        let notBefore = identity.certificate.notBefore
        validity = notBefore...max(notBefore, identity.certificate.notAfter)
        self.identity = identity
    }

    // MARK: Validity

    /// Checks validity for a time and an environment.
    ///
    /// - Parameters:
    ///   - unixSeconds: Seconds since 1970.
    ///   - environment: `nil` for a server that is not Apple's.
    /// - Throws: `.expired`, `.notYetValid`, `.wrongEnvironment`.
    public func check(at unixSeconds: Int64, for environment: Environment?) throws(ClientCertificateError) {
        guard unixSeconds <= validity.upperBound else { throw .expired(notAfter: validity.upperBound) }
        guard unixSeconds >= validity.lowerBound else { throw .notYetValid(notBefore: validity.lowerBound) }
        if let environment, !environments.contains(environment) { throw .wrongEnvironment(needed: environment) }
    }

    /// Whole days until it expires, rounded down: 0 on the last day, negative afterwards. Apple's certificates last a
    /// year.
    ///
    /// - Parameter unixSeconds: Seconds since 1970.
    public func daysToExpiry(at unixSeconds: Int64) -> Int {
        let (rest, overflow) = validity.upperBound.subtractingReportingOverflow(unixSeconds)
        guard !overflow else { return unixSeconds < 0 ? .max : .min }
        // Rounds down below zero too.
        return Int(rest >= 0 ? rest / 86_400 : (rest + 1) / 86_400 - 1)
    }

    // MARK: Topics

    /// True if APNs accepts this; many TopicDisallowed cost the connection.
    package func allows(_ topic: APNS.Topic, _ pushType: PushType) -> Bool { claims.allows(topic, pushType) }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Name, and nothing of the key.
    public var description: String { "ClientCertificate(\(commonName ?? "without a name"))" }

    /// `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
