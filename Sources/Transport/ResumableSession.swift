import COpenSSL
import Glibc

/// A session that its server may take up again, with the certificate that was believed then.
///
/// Unchecked: never changed after `init`; OpenSSL counts references only.
@safe final class ResumableSession: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Ours, below the 7 days of RFC 8446 section 4.6.1: once a day the server has to show its certificate again.
    static let ageSecondsMax: Int64 = 24 * 3600

    /// A copy, because OpenSSL spoils the session itself when its connection is cut off without a goodbye, and that is
    /// when resuming is worth most.
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

    /// A ticket of TLS 1.3 that is shown twice lets an observer link both connections (RFC 8446 appendix C.4).
    var isSingleUse: Bool { unsafe SSL_SESSION_get_protocol_version(handle) >= TLS1_3_VERSION }

    /// Seconds since 1970.
    var madeAt: Int64 { unsafe Int64(SSL_SESSION_get_time(handle)) }

    /// Whether a full handshake with the same certificate would still succeed as far as can be told without it: OpenSSL
    /// looks at no date and no name when it resumes.
    ///
    /// - Parameters:
    ///   - host: the name or the address that the certificate was checked for.
    ///   - now: seconds since 1970.
    /// - Returns: whether it may be offered.
    func isUsable(for host: String, at now: Int64 = Int64(time(nil))) -> Bool {
        defer { ERR_clear_error() }
        guard (0...Self.ageSecondsMax).contains(now - madeAt), let certificate = unsafe SSL_SESSION_get0_peer(handle),
            unsafe TLSCertificate.isInTime(certificate, at: now)
        else { return false }
        if SocketAddress.isLiteral(host) { return unsafe X509_check_ip_asc(certificate, host, 0) == 1 }
        return unsafe X509_check_host(certificate, host, host.utf8.count, TLSSession.hostNameFlags, nil) == 1
    }

    /// The session after it was taken up, with the ticket that the server has put in the place of its own: OpenSSL reports no
    /// such ticket of TLS 1.2. It is as old as before, so that the server still has to show its certificate once a day.
    func renewed(in ssl: OpaquePointer) -> ResumableSession {
        guard let current = unsafe SSL_get_session(ssl), let session = unsafe ResumableSession(copying: current) else {
            return self
        }
        unsafe SSL_SESSION_set_time(session.handle, Int(madeAt))
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
