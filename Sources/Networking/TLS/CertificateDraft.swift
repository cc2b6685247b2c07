import COpenSSL
import Glibc

@safe final class CertificateDraft {
    private let handle: OpaquePointer

    init(commonName: String, key: KeyPair, validity: CertificateAuthority.Validity) throws(TLSError) {
        guard let handle = unsafe X509_new() else { throw OpenSSLFailure.library("X509_new") }
        unsafe self.handle = handle
        // Positive and unpredictable (RFC 5280 section 4.1.2.2).
        let serialNumber = UInt64.random(in: 1...UInt64(Int64.max))
        // Read once: a second reading might lengthen the validity.
        var now = time(nil)
        guard unsafe X509_set_version(handle, 2) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(handle), serialNumber) == 1,
            unsafe X509_time_adj(X509_getm_notBefore(handle), validity.lowerBound, &now) != nil,
            unsafe X509_time_adj(X509_getm_notAfter(handle), validity.upperBound, &now) != nil,
            unsafe X509_set_pubkey(handle, key.handle) == 1
        else { throw OpenSSLFailure.library("X509 fields") }
        try addName("CN", commonName)
    }

    deinit { unsafe X509_free(handle) }

    func addUserID(_ userID: String) throws(TLSError) { try addName("UID", userID) }

    private func addName(_ field: String, _ value: String) throws(TLSError) {
        let subject = unsafe X509_get_subject_name(handle)
        guard unsafe X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, value, -1, -1, 0) == 1 else {
            throw OpenSSLFailure.library("X509_NAME_add_entry_by_txt")
        }
    }

    /// Adds an extension in OpenSSL's syntax; `issuer` nil: self-issued.
    func add(_ identifier: Int32, _ value: String, issuer: TLSCertificate?) throws(TLSError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer?.handle ?? handle, handle, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw OpenSSLFailure.library("X509V3_EXT_conf_nid")
        }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(handle, made, -1) == 1 else { throw OpenSSLFailure.library("X509_add_ext") }
    }

    func add(_ wanted: CertificateAuthority.Extension) throws(TLSError) {
        guard let object = unsafe OBJ_txt2obj(wanted.identifier, 1) else { throw OpenSSLFailure.library("OBJ_txt2obj") }
        defer { unsafe ASN1_OBJECT_free(object) }
        guard let value = unsafe ASN1_OCTET_STRING_new() else { throw OpenSSLFailure.library("ASN1_OCTET_STRING_new") }
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        guard unsafe ASN1_OCTET_STRING_set(value, wanted.value, Int32(clamping: wanted.value.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        else { throw OpenSSLFailure.library("X509_EXTENSION_create_by_OBJ") }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(handle, made, -1) == 1 else { throw OpenSSLFailure.library("X509_add_ext") }
    }

    /// `key` is the issuer's; nil `issuer`: self-signed.
    func sign(with key: KeyPair, issuer: TLSCertificate?) throws(TLSError) -> TLSCertificate {
        let subject = unsafe X509_get_subject_name(issuer?.handle ?? handle)
        guard unsafe X509_set_issuer_name(handle, subject) == 1, unsafe X509_sign(handle, key.handle, EVP_sha256()) > 0
        else { throw OpenSSLFailure.library("X509_sign") }
        guard unsafe X509_up_ref(handle) == 1, let signed = unsafe TLSCertificate(owning: handle) else {
            throw OpenSSLFailure.library("X509_up_ref")
        }
        return signed
    }
}
