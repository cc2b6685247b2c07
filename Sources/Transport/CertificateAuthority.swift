import COpenSSL

/// An authority of one's own: issues certificates for servers that run here and for their clients.
///
/// Nobody trusts it who was not told to. What it issues satisfies strict verifiers (RFC 5280 section 4.2: key identifiers,
/// a critical basic constraint, key usages), among them Python 3.13's.
///
/// Unchecked: complete when `init` returns and only read from then on.
@safe package final class CertificateAuthority: @unchecked Sendable {
    /// An extension that OpenSSL has no name for, such as Apple's.
    package struct Extension: Sendable {
        let identifier: String
        let value: [UInt8]

        /// - Parameters:
        ///   - identifier: an object identifier in digits, "1.2.840.113635.100.6.3.6".
        ///   - value: DER, without the OCTET STRING that goes around it.
        package init(identifier: String, value: [UInt8]) {
            self.identifier = identifier
            self.value = value
        }
    }

    /// Seconds from now.
    package typealias Validity = ClosedRange<Int>

    private static let day = 86_400
    /// An hour back, for clocks that differ.
    package static let authorityValidity: Validity = -3_600...day * 3_650
    /// What browsers and Apple's systems take at most is 398 days.
    package static let leafValidity: Validity = -3_600...day * 397

    private let key: KeyPair
    private let certificate: TLSCertificate

    /// A new one, with a certificate that it signs itself.
    ///
    /// - Parameters:
    ///   - name: the subject's CN.
    ///   - key: what it signs with from now on.
    ///   - validity: seconds from now.
    /// - Throws: `.library`.
    package init(name: String, key: KeyPair, validity: Validity = authorityValidity) throws(TLSError) {
        self.key = key
        let draft = try CertificateDraft(commonName: name, key: key, validity: validity)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE", issuer: nil)
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: nil)
        try draft.add(NID_subject_key_identifier, "hash", issuer: nil)
        certificate = try draft.sign(with: key, issuer: nil)
    }

    /// One that was made before.
    ///
    /// - Parameters:
    ///   - certificatePEM: its certificate, the first if there are several.
    ///   - key: the certificate's.
    /// - Throws: `.certificateUnreadable`, `.privateKeyDoesNotMatchCertificate`.
    package init(certificatePEM: [UInt8], key: KeyPair) throws(TLSError) {
        guard let first = TLSCertificate.list(pem: unsafe certificatePEM.span.bytes).first else {
            throw .certificateUnreadable
        }
        defer { ERR_clear_error() }
        guard unsafe X509_check_private_key(first.handle, key.handle) == 1 else {
            throw .privateKeyDoesNotMatchCertificate
        }
        self.key = key
        certificate = first
    }

    /// The authority's own certificate: what clients, or a server that asks for certificates, are told to trust.
    package var certificatePEM: [UInt8] {
        get throws(TLSError) { try certificate.pem }
    }

    /// A certificate for a server's key.
    ///
    /// - Parameters:
    ///   - names: DNS names and IP addresses under which it is reached; one at least.
    ///   - key: the server's.
    ///   - validity: seconds from now.
    /// - Returns: PEM, a chain of one.
    /// - Throws: `.library`, also for a name that is neither.
    package func issueServer(
        names: [String],
        for key: KeyPair,
        validity: Validity = leafValidity
    ) throws(TLSError) -> [UInt8] {
        precondition(!names.isEmpty)
        let draft = try leaf(commonName: names[0], key, validity, usage: "serverAuth")
        let alternatives = names.map { (SocketAddress.isLiteral($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
        try draft.add(NID_subject_alt_name, alternatives, issuer: certificate)
        return try draft.sign(with: self.key, issuer: certificate).pem
    }

    /// A certificate for a client's key.
    ///
    /// - Parameters:
    ///   - commonName: the subject's CN.
    ///   - userID: the subject's UID, where Apple puts the topic.
    ///   - extensions: what else it says.
    ///   - key: the client's.
    ///   - validity: seconds from now.
    /// - Returns: PEM, a chain of one.
    /// - Throws: `.library`, also for an extension that is malformed.
    package func issueClient(
        commonName: String,
        userID: String? = nil,
        extensions: [Extension] = [],
        for key: KeyPair,
        validity: Validity = leafValidity
    ) throws(TLSError) -> [UInt8] {
        let draft = try leaf(commonName: commonName, key, validity, usage: "clientAuth")
        if let userID { try draft.addUserID(userID) }
        for made in extensions { try draft.add(made) }
        return try draft.sign(with: self.key, issuer: certificate).pem
    }

    /// A client with a key of its own, which is made here.
    ///
    /// - Parameters:
    ///   - commonName: the subject's CN, 1 ... 64 bytes of UTF-8 (RFC 5280, ub-common-name).
    ///   - validity: seconds from now.
    /// - Returns: what a TLS context shows.
    /// - Throws: `.library`, also for a name that no certificate can have.
    package func makeClient(
        commonName: String,
        validity: Validity = leafValidity
    ) throws(TLSError) -> TLSIdentity {
        let key = try KeyPair()
        let draft = try leaf(commonName: commonName, key, validity, usage: "clientAuth")
        let issued = try draft.sign(with: self.key, issuer: certificate)
        // The identity gets a reference of its own.
        guard unsafe EVP_PKEY_up_ref(key.handle) == 1 else { throw OpenSSLFailure.library("EVP_PKEY_up_ref") }
        do throws(TLSIdentityError) {
            return try unsafe TLSIdentity([issued], owning: key.handle)
        } catch {
            throw .privateKeyDoesNotMatchCertificate
        }
    }

    private func leaf(
        commonName: String,
        _ key: KeyPair,
        _ validity: Validity,
        usage: String
    ) throws(TLSError) -> CertificateDraft {
        let draft = try CertificateDraft(commonName: commonName, key: key, validity: validity)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
        try draft.add(NID_key_usage, "critical,digitalSignature,keyEncipherment", issuer: certificate)
        try draft.add(NID_ext_key_usage, usage, issuer: certificate)
        try draft.add(NID_subject_key_identifier, "hash", issuer: certificate)
        try draft.add(NID_authority_key_identifier, "keyid:always", issuer: certificate)
        return draft
    }
}

extension CertificateAuthority: CustomReflectable {
    /// `dump` shows nothing of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSCertificate {
    /// One PEM block.
    package var pem: [UInt8] {
        get throws(TLSError) {
            try unsafe PEMText.bytes("PEM_write_bio_X509") { unsafe PEM_write_bio_X509($0, handle) }
        }
    }
}
