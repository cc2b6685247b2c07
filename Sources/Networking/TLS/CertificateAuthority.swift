import COpenSSL

/// Private authority. Its certificates satisfy strict verifiers (RFC 5280 section 4.2: key identifiers, a critical
/// basic constraint, key usages), such as Python 3.13's.
///
/// Unchecked Sendable: complete after `init`, and only read from then on.
@safe package final class CertificateAuthority: @unchecked Sendable {
    /// An extension without a name in OpenSSL, such as Apple's.
    package struct Extension: Sendable {
        let identifier: String
        let value: [UInt8]

        /// - Parameters:
        ///   - identifier: Object identifier in digits, "1.2.840.113635.100.6.3.6".
        ///   - value: DER, without the enclosing OCTET STRING.
        package init(identifier: String, value: [UInt8]) {
            self.identifier = identifier
            self.value = value
        }
    }

    /// Seconds from now.
    package typealias Validity = ClosedRange<Int>

    private static let day = 86_400
    /// Starts an hour ago, for clocks that differ.
    package static let authorityValidity: Validity = -3_600...day * 3_650
    /// Browsers and Apple's systems accept at most 398 days.
    package static let leafValidity: Validity = -3_600...day * 397

    private let key: KeyPair
    private let certificate: TLSCertificate

    /// Creates a self-signed authority.
    package init(name: String, key: KeyPair, validity: Validity = authorityValidity) throws(TLSError) {
        self.key = key
        let draft = try CertificateDraft(commonName: name, key: key, validity: validity)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE", issuer: nil)
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: nil)
        try draft.add(NID_subject_key_identifier, "hash", issuer: nil)
        certificate = try draft.sign(with: key, issuer: nil)
    }

    /// - Parameter certificatePEM: Its certificate; the first of several.
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

    package var certificatePEM: [UInt8] {
        get throws(TLSError) { try certificate.pem }
    }

    /// Issues a server's PEM certificate, for one or more DNS names and IP addresses.
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

    /// Issues a client's PEM certificate, a chain of one. The `userID` is its UID; Apple's holds the topic.
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

    /// Creates a client with a new key. The CN has 1 ... 64 bytes of UTF-8 (RFC 5280, ub-common-name).
    package func makeClient(
        commonName: String,
        validity: Validity = leafValidity
    ) throws(TLSError) -> TLSIdentity {
        let key = try KeyPair()
        let draft = try leaf(commonName: commonName, key, validity, usage: "clientAuth")
        let issued = try draft.sign(with: self.key, issuer: certificate)
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
    /// Hides the key from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSCertificate {
    package var pem: [UInt8] {
        get throws(TLSError) {
            try unsafe PEMText.bytes("PEM_write_bio_X509") { unsafe PEM_write_bio_X509($0, handle) }
        }
    }
}
