import COpenSSL
import Glibc

/// A certificate authority of one test run, whose certificates are valid by any clock.
@safe public final class TestAuthority {
    /// A certificate and its key, both PEM.
    public struct Identity: Sendable {
        /// The certificate, as a chain of one.
        public let certificatePEM: [UInt8]
        /// PKCS#8, unencrypted.
        public let privateKeyPEM: [UInt8]
    }

    /// A failed call of OpenSSL's.
    public struct Failure: Error {
        /// The function's name.
        public let call: String
    }

    private let key: OpaquePointer
    private let certificate: OpaquePointer
    private var serialNumber = 1

    /// A fresh authority, valid for a year to either side of now.
    public init(name: String = "Test authority") throws {
        let key = unsafe try Self.makeKey()
        let certificate = unsafe try Self.makeCertificate(name, serialNumber: 1, validity: -day * 365...day * 365, key)
        unsafe try Self.addExtension(NID_basic_constraints, "critical,CA:TRUE", to: certificate)
        unsafe try Self.addExtension(NID_key_usage, "critical,keyCertSign", to: certificate)
        unsafe try Self.addExtension(NID_subject_key_identifier, "hash", to: certificate)
        unsafe try Self.sign(certificate, issuer: certificate, key)
        unsafe self.key = key
        unsafe self.certificate = certificate
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(key)
    }

    /// The authority's own certificate: a client's trust anchor.
    public var certificatePEM: [UInt8] {
        get throws { unsafe try Self.bytes { unsafe PEM_write_bio_X509($0, certificate) } }
    }

    /// A server's certificate and key.
    ///
    /// - Parameters:
    ///   - names: alternative names as OpenSSL writes them, "DNS:localhost,IP:127.0.0.1".
    ///   - validity: seconds from now.
    ///   - namesIssuer: true for the issuer's key id, as RFC 5280 section 4.2.1.1 demands.
    /// - Throws: `Failure`.
    /// - Returns: a P-256 key and a certificate that this authority signed.
    public func issue(
        names: String = "DNS:localhost,IP:127.0.0.1",
        validity: ClosedRange<Int> = -day...day * 30,
        namesIssuer: Bool = true
    ) throws -> Identity {
        let key = unsafe try Self.makeKey()
        defer { unsafe EVP_PKEY_free(key) }
        return try unsafe issue("Test server", validity: validity, key, namesIssuer: namesIssuer) { issued in
            unsafe try Self.addExtension(NID_subject_alt_name, names, to: issued)
        }
    }

    /// A certificate for `key`, with the additions of `complete`.
    func issue(
        _ name: String,
        validity: ClosedRange<Int>,
        _ key: OpaquePointer,
        namesIssuer: Bool = true,
        complete: (OpaquePointer) throws -> Void
    ) throws -> Identity {
        serialNumber += 1
        let issued = unsafe try Self.makeCertificate(name, serialNumber: serialNumber, validity: validity, key)
        defer { unsafe X509_free(issued) }
        unsafe try complete(issued)
        if namesIssuer {
            unsafe try Self.addExtension(NID_authority_key_identifier, "keyid:always", to: issued, issuer: certificate)
        }
        unsafe try Self.sign(issued, issuer: certificate, self.key)
        return Identity(
            certificatePEM: unsafe try Self.bytes { unsafe PEM_write_bio_X509($0, issued) },
            privateKeyPEM: unsafe try Self.bytes {
                unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil)
            }
        )
    }

    static func makeKey() throws -> OpaquePointer {
        guard let key = unsafe copenssl_generate_p256() else { throw Failure(call: "EVP_EC_gen") }
        return unsafe key
    }

    private static func makeCertificate(
        _ name: String,
        serialNumber: Int,
        validity: ClosedRange<Int>,
        _ key: OpaquePointer
    ) throws -> OpaquePointer {
        guard let certificate = unsafe X509_new() else { throw Failure(call: "X509_new") }
        let subject = unsafe X509_get_subject_name(certificate)
        // Read once: a second may begin between two readings, and lengthen the validity.
        var now = time(nil)
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber) == 1,
            unsafe X509_time_adj(X509_getm_notBefore(certificate), validity.lowerBound, &now) != nil,
            unsafe X509_time_adj(X509_getm_notAfter(certificate), validity.upperBound, &now) != nil,
            unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1,
            unsafe X509_set_pubkey(certificate, key) == 1
        else {
            unsafe X509_free(certificate)
            throw Failure(call: "X509 fields")
        }
        return unsafe certificate
    }

    /// `issuer` nil: the certificate itself.
    static func addExtension(
        _ nid: Int32,
        _ value: String,
        to certificate: OpaquePointer,
        issuer: OpaquePointer? = nil
    ) throws {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, nid, value) else {
            throw Failure(call: "X509V3_EXT_conf_nid")
        }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw Failure(call: "X509_add_ext") }
    }

    private static func sign(_ certificate: OpaquePointer, issuer: OpaquePointer, _ key: OpaquePointer) throws {
        guard unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
            unsafe X509_sign(certificate, key, EVP_sha256()) > 0
        else { throw Failure(call: "X509_sign") }
    }

    static func bytes(_ write: (OpaquePointer) -> Int32) throws -> [UInt8] {
        guard let sink = unsafe BIO_new(BIO_s_mem()) else { throw Failure(call: "BIO_new") }
        defer { unsafe BIO_free(sink) }
        guard unsafe write(sink) == 1 else { throw Failure(call: "writing to a BIO") }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(sink))
        let count = unsafe BIO_read(sink, &bytes, Int32(bytes.count))
        guard count == bytes.count else { throw Failure(call: "BIO_read") }
        return bytes
    }
}

/// Seconds.
public let day = 86_400
