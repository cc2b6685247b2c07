import COpenSSL

extension TLSCertificate {
    /// Certificates of a chain, at most.
    private static let depthMax: Int32 = 4

    /// Verifies signatures, constraints and dates up to one of the roots. Reads no revocation lists.
    ///
    /// - Parameters:
    ///   - intermediates: candidates, in any order, untrusted.
    ///   - unixSeconds: the time for which all must be valid.
    package func isIssued(
        through intermediates: [TLSCertificate],
        by roots: [TLSCertificate],
        at unixSeconds: Int64
    ) -> Bool {
        defer { ERR_clear_error() }
        guard let store = unsafe X509_STORE_new() else { return false }
        defer { unsafe X509_STORE_free(store) }
        for root in roots {
            guard unsafe X509_STORE_add_cert(store, root.handle) == 1 else { return false }
        }
        guard let others = unsafe OPENSSL_sk_new_null() else { return false }
        // The certificates stay their owners'.
        defer { unsafe OPENSSL_sk_free(others) }
        for certificate in intermediates {
            guard unsafe OPENSSL_sk_push(others, UnsafeRawPointer(certificate.handle)) > 0 else { return false }
        }
        guard let context = unsafe X509_STORE_CTX_new() else { return false }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store, handle, others) == 1 else { return false }
        unsafe X509_STORE_CTX_set_time(context, 0, Int(unixSeconds))
        unsafe X509_STORE_CTX_set_depth(context, Self.depthMax)
        return withExtendedLifetime((self, intermediates)) { unsafe X509_verify_cert(context) == 1 }
    }
}
