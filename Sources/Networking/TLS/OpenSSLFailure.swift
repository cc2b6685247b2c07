import COpenSSL

/// The texts are OpenSSL's own and hold no secret.
enum OpenSSLFailure {
    /// Takes the oldest reason: since OpenSSL 3.2 the newest may say only that the record layer failed. Empties the
    /// thread's queue, so that no later call inherits the error.
    static func takeReason() -> (code: Int32, text: String) {
        let error = ERR_peek_error()
        ERR_clear_error()
        guard error != 0 else { return (0, "no reason given") }
        let text = unsafe ERR_reason_error_string(error).map { unsafe String(cString: $0) }
        return (ERR_GET_REASON(error), text ?? "error \(error)")
    }

    static func library(_ call: String) -> TLSError {
        .library(call: call, takeReason().text)
    }

    static func handshake(_ ssl: OpaquePointer) -> TLSError {
        let (code, text) = takeReason()
        // OpenSSL numbers a received alert 1000 + the alert's own number.
        if code >= 1000, code < 1256 {
            let alert = Int(code) - 1000
            return alert == noApplicationProtocolAlert ? .noCommonProtocol : .alert(code: alert, text)
        }
        switch code {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return verification(unsafe SSL_get_verify_result(ssl))
        case SSL_R_NO_APPLICATION_PROTOCOL: return .noCommonProtocol
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .notTLS
        case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_DIGEST_CHECK_FAILED: return .tampered
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .truncated
        default: return .protocolViolation(text)
        }
    }

    private static let noApplicationProtocolAlert = 120

    private static func verification(_ code: Int) -> TLSError {
        let text = unsafe X509_verify_cert_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_CERT_HAS_EXPIRED: return .certificateExpired(text)
        case X509_V_ERR_CERT_NOT_YET_VALID: return .certificateNotYetValid(text)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .wrongHost(text)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return .unknownAuthority(text)
        default: return .certificateRefused(code: code, text)
        }
    }
}
