import COpenSSL
import Glibc

/// Resumable session with its verified certificate.
///
/// Unchecked Sendable: never changed after `init`; OpenSSL only counts references.
@safe final class ResumableSession: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Our limit, below the 7 days of RFC 8446 section 4.6.1: a server must show its certificate once a day.
    static let ageSecondsMax: Int64 = 24 * 3600

    /// Copies: OpenSSL spoils a session whose connection ends without close_notify, where resumption pays most.
    init?(copying session: OpaquePointer) {
        guard unsafe SSL_SESSION_is_resumable(session) == 1, let copy = unsafe SSL_SESSION_dup(session) else {
            ERR_clear_error()
            return nil
        }
        unsafe handle = unsafe copy
    }

    deinit {
        unsafe SSL_SESSION_free(handle)
    }

    /// A TLS 1.3 ticket shown twice links both connections for an observer (RFC 8446 appendix C.4).
    var isSingleUse: Bool { unsafe SSL_SESSION_get_protocol_version(handle) >= TLS1_3_VERSION }

    var madeAt: Int64 { unsafe copenssl_session_time(handle) }

    /// Predicts a full handshake's success: OpenSSL checks neither date nor name on resumption. `now` is seconds since
    /// 1970.
    func isUsable(for host: String, at now: Int64 = Int64(time(nil))) -> Bool {
        defer { ERR_clear_error() }
        guard (0...Self.ageSecondsMax).contains(now - madeAt), let certificate = unsafe SSL_SESSION_get0_peer(handle),
            unsafe TLSCertificate.isInTime(certificate, at: now)
        else { return false }
        if SocketAddress.isLiteral(host) { return unsafe X509_check_ip_asc(certificate, host, 0) == 1 }
        return unsafe X509_check_host(certificate, host, host.utf8.count, TLSSession.hostNameFlags, nil) == 1
    }

    /// Server's new ticket, which OpenSSL does not report for TLS 1.2. It keeps its age: a certificate once a day.
    func renewed(in ssl: OpaquePointer) -> ResumableSession {
        guard let current = unsafe SSL_get_session(ssl), let session = unsafe ResumableSession(copying: current) else {
            return self
        }
        unsafe copenssl_session_set_time(session.handle, madeAt)
        return session
    }

    func offer(in ssl: OpaquePointer) -> Bool {
        guard unsafe SSL_set_session(ssl, handle) == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }
}
