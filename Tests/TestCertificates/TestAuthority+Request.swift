import COpenSSL

extension TestAuthority {
    /// A request for a certificate and the key that it is for.
    ///
    /// - Parameter isSignedByAnother: signs it with a key that is not the request's.
    /// - Throws: `Failure`.
    /// - Returns: PKCS #10 and PKCS #8, both PEM.
    public static func makeRequest(isSignedByAnother: Bool = false) throws -> (request: [UInt8], key: [UInt8]) {
        let key = unsafe try makeKey()
        defer { unsafe EVP_PKEY_free(key) }
        let other = unsafe try makeKey()
        defer { unsafe EVP_PKEY_free(other) }
        guard let request = unsafe X509_REQ_new() else { throw Failure(call: "X509_REQ_new") }
        defer { unsafe X509_REQ_free(request) }
        let subject = unsafe X509_REQ_get_subject_name(request)
        guard unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, "Anything", -1, -1, 0) == 1,
            unsafe X509_REQ_set_pubkey(request, key) == 1,
            unsafe X509_REQ_sign(request, isSignedByAnother ? other : key, EVP_sha256()) > 0
        else { throw Failure(call: "X509_REQ_sign") }
        return (
            unsafe try bytes { unsafe PEM_write_bio_X509_REQ($0, request) },
            unsafe try bytes { unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
        )
    }
}
