import COpenSSL

/// A certificate authority with one P-256 key: issues certificates for TLS clients. Its key can be used here only.
///
/// Unchecked: complete when `init` returns; OpenSSL only counts references to the key and reads it.
@safe package final class CertificateIssuer: @unchecked Sendable {
    /// Why no certificate was issued. Never holds a byte of the request.
    package enum Failure: Error, Equatable, Sendable {
        case requestTooLong(byteCount: Int, byteCountMax: Int)
        case requestUnreadable
        /// Whoever asks does not have the key.
        case requestNotSigned
        /// The first call of OpenSSL that failed.
        case library(call: String)
    }

    /// Ours: a request with an RSA key has about 1,000 bytes.
    package static let requestByteCountMax = 65_536
    private static let secondsPerDay = 86_400

    private let key: OpaquePointer
    private let certificate: OpaquePointer

    /// A new authority, which has existed since yesterday and lasts ten years.
    ///
    /// - Parameter name: its CN.
    /// - Throws: `.library`.
    package init(name: String) throws(Failure) {
        defer { ERR_clear_error() }
        guard let key = unsafe copenssl_generate_p256() else { throw .library(call: "EVP_EC_gen") }
        do throws(Failure) {
            let certificate = unsafe try Self.make(name, for: key, dayCount: 3650)
            do throws(Failure) {
                unsafe try Self.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", to: certificate)
                unsafe try Self.add(NID_key_usage, "critical,keyCertSign", to: certificate)
                unsafe try Self.sign(certificate, issuer: certificate, key)
            } catch {
                unsafe X509_free(certificate)
                throw error
            }
            unsafe self.key = key
            unsafe self.certificate = certificate
        } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(key)
    }

    /// Its own certificate: what those who check the issued ones trust.
    ///
    /// - Returns: one PEM block.
    /// - Throws: `.library`.
    package func certificatePEM() throws(Failure) -> [UInt8] {
        defer { ERR_clear_error() }
        return try unsafe Self.pem(certificate)
    }

    /// Makes a client's key and its certificate.
    ///
    /// - Parameters:
    ///   - name: the client's CN, 1 ... 64 bytes of UTF-8 (RFC 5280, ub-common-name).
    ///   - dayCount: how long it lasts.
    /// - Returns: what a TLS context shows.
    /// - Throws: `.library`.
    package func makeClient(name: String, dayCount: Int = 397) throws(Failure) -> TLSIdentity {
        defer { ERR_clear_error() }
        guard let clientKey = unsafe copenssl_generate_p256() else { throw .library(call: "EVP_EC_gen") }
        let issued: OpaquePointer
        do throws(Failure) {
            unsafe issued = try issue(name, for: clientKey, dayCount: dayCount)
        } catch {
            unsafe EVP_PKEY_free(clientKey)
            throw error
        }
        guard let certificate = unsafe TLSCertificate(owning: issued) else {
            unsafe EVP_PKEY_free(clientKey)
            throw .library(call: "ASN1_TIME_to_tm")
        }
        do throws(TLSIdentityError) {
            return try unsafe TLSIdentity([certificate], owning: clientKey)
        } catch {
            throw .library(call: "X509_check_private_key")
        }
    }

    /// Issues a certificate for the key of a request. Nothing else of what the request asks for is granted.
    ///
    /// - Parameters:
    ///   - requestPEM: PKCS #10 (RFC 2986), signed with the client's key.
    ///   - name: the client's CN, 1 ... 64 bytes of UTF-8.
    ///   - dayCount: how long it lasts.
    /// - Returns: one PEM block.
    /// - Throws: `.requestTooLong`, `.requestUnreadable`, `.requestNotSigned`, `.library`.
    package func certificatePEM(
        forRequest requestPEM: [UInt8],
        name: String,
        dayCount: Int = 397
    ) throws(Failure) -> [UInt8] {
        guard requestPEM.count <= Self.requestByteCountMax else {
            throw .requestTooLong(byteCount: requestPEM.count, byteCountMax: Self.requestByteCountMax)
        }
        defer { ERR_clear_error() }
        let request = unsafe requestPEM.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { unsafe BIO_free(source) }
            return unsafe PEM_read_bio_X509_REQ(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let request = unsafe request else { throw .requestUnreadable }
        defer { unsafe X509_REQ_free(request) }
        guard let clientKey = unsafe X509_REQ_get0_pubkey(request) else { throw .requestUnreadable }
        guard unsafe X509_REQ_verify(request, clientKey) == 1 else { throw .requestNotSigned }
        let issued = unsafe try issue(name, for: clientKey, dayCount: dayCount)
        defer { unsafe X509_free(issued) }
        return try unsafe Self.pem(issued)
    }

    /// - Returns: an X509 that belongs to the caller.
    private func issue(_ name: String, for clientKey: OpaquePointer, dayCount: Int) throws(Failure) -> OpaquePointer {
        let issued = unsafe try Self.make(name, for: clientKey, dayCount: dayCount)
        do throws(Failure) {
            unsafe try Self.add(NID_basic_constraints, "critical,CA:FALSE", to: issued)
            unsafe try Self.add(NID_key_usage, "critical,digitalSignature", to: issued)
            unsafe try Self.add(NID_ext_key_usage, "clientAuth", to: issued)
            unsafe try Self.sign(issued, issuer: certificate, key)
        } catch {
            unsafe X509_free(issued)
            throw error
        }
        return unsafe issued
    }

    private static func make(
        _ name: String,
        for key: OpaquePointer,
        dayCount: Int
    ) throws(Failure) -> OpaquePointer {
        guard let made = unsafe X509_new() else { throw .library(call: "X509_new") }
        let subject = unsafe X509_get_subject_name(made)
        // A positive number that nobody can foretell (RFC 5280 section 4.1.2.2).
        let serialNumber = UInt64.random(in: 1...UInt64(Int64.max))
        guard unsafe X509_set_version(made, 2) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), serialNumber) == 1,
            unsafe X509_gmtime_adj(X509_getm_notBefore(made), -secondsPerDay) != nil,
            unsafe X509_gmtime_adj(X509_getm_notAfter(made), dayCount * secondsPerDay) != nil,
            unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1,
            unsafe X509_set_pubkey(made, key) == 1
        else {
            unsafe X509_free(made)
            throw .library(call: "X509 fields")
        }
        return unsafe made
    }

    private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) throws(Failure) {
        guard let made = unsafe X509V3_EXT_conf_nid(nil, nil, identifier, value) else {
            throw .library(call: "X509V3_EXT_conf_nid")
        }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw .library(call: "X509_add_ext") }
    }

    private static func sign(
        _ certificate: OpaquePointer,
        issuer: OpaquePointer,
        _ key: OpaquePointer
    ) throws(Failure) {
        guard unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
            unsafe X509_sign(certificate, key, EVP_sha256()) > 0
        else { throw .library(call: "X509_sign") }
    }

    private static func pem(_ certificate: OpaquePointer) throws(Failure) -> [UInt8] {
        guard let sink = unsafe BIO_new(BIO_s_mem()) else { throw .library(call: "BIO_new") }
        defer { unsafe BIO_free(sink) }
        guard unsafe PEM_write_bio_X509(sink, certificate) == 1 else { throw .library(call: "PEM_write_bio_X509") }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(sink))
        guard unsafe BIO_read(sink, &bytes, Int32(clamping: bytes.count)) == Int32(clamping: bytes.count) else {
            throw .library(call: "BIO_read")
        }
        return bytes
    }
}
