import COpenSSL
import Glibc

/// One side of a TLS connection, without a socket: ciphertext in, plaintext out, and the reverse.
///
/// After an error its ciphertext may still hold an alert for the peer; all else is unusable.
@safe package struct TLSSession: ~Copyable {
    private let ssl: OpaquePointer
    private let pipe: CipherPipe
    /// OpenSSL calls its ALPN callback.
    private let context: TLSContext
    /// OpenSSL holds an unowned pointer to it.
    private let resumption: TLSResumption?
    private var hasBegun = false

    package private(set) var isHandshakeDone = false
    /// True after the peer's close_notify. Bytes that end earlier may have been truncated.
    package private(set) var isPeerDone = false
    private var hasReceived = false

    /// - Parameters:
    ///   - hostName: DNS name or IP address in the server's certificate.
    ///   - port: Distinguishes servers of one host in resumption; 0 if unknown.
    package init(client context: TLSContext, hostName: String, port: UInt16 = 0) throws(TLSError) {
        precondition(!context.isServer)
        let pipe = CipherPipe()
        let ssl = unsafe try Self.makeHandle(context, pipe)
        let resumption = context.resumableSessions.map { TLSResumption($0, .init(host: hostName, port: port)) }
        do throws(TLSError) {
            unsafe try Self.expect(hostName, ssl)
            if let resumption, unsafe !resumption.attach(to: ssl) { throw OpenSSLFailure.library("SSL_set_ex_data") }
        } catch {
            unsafe SSL_free(ssl)
            throw error
        }
        unsafe SSL_set_connect_state(ssl)
        unsafe self.ssl = ssl
        self.pipe = pipe
        self.context = context
        self.resumption = resumption
    }

    package init(server context: TLSContext) throws(TLSError) {
        precondition(context.isServer)
        let pipe = CipherPipe()
        let ssl = unsafe try Self.makeHandle(context, pipe)
        unsafe SSL_set_accept_state(ssl)
        unsafe self.ssl = ssl
        self.pipe = pipe
        self.context = context
        resumption = nil
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    private static func makeHandle(_ context: TLSContext, _ pipe: CipherPipe) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        let bio = unsafe try pipe.makeBIO()
        guard let ssl = unsafe SSL_new(context.handle) else {
            unsafe BIO_free(bio)
            throw OpenSSLFailure.library("SSL_new")
        }
        // One reference for both directions: SSL_free frees it.
        unsafe SSL_set_bio(ssl, bio, bio)
        return unsafe ssl
    }

    private static func expect(_ hostName: String, _ ssl: OpaquePointer) throws(TLSError) {
        guard !hostName.isEmpty, !hostName.utf8.contains(0) else { throw .hostNameInvalid }
        let parameters = unsafe SSL_get0_param(ssl)
        // RFC 6066 section 3: no server name for an IP address.
        if SocketAddress.isLiteral(hostName) {
            guard unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, hostName) == 1 else { throw .hostNameInvalid }
            return
        }
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, Self.hostNameFlags)
        guard unsafe X509_VERIFY_PARAM_set1_host(parameters, hostName, 0) == 1,
            unsafe copenssl_set_server_name(ssl, hostName) == 1
        else { throw .hostNameInvalid }
    }

    /// Alternative names only; a wildcard stands for a whole label.
    static let hostNameFlags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

    // MARK: Ciphertext in

    /// Starts or continues the handshake. A client calls it once for its first message.
    package mutating func handshake() throws(TLSError) {
        guard !isHandshakeDone else { return }
        ERR_clear_error()
        if !hasBegun {
            hasBegun = true
            unsafe resumption?.offer(in: ssl)
        }
        do throws(TLSError) {
            guard try shakeHands() else { return }
        } catch {
            resumption?.handshakeDidFail()
            throw error
        }
        isHandshakeDone = true
        unsafe resumption?.handshakeDidEnd(isResumed: isResumed, in: ssl)
    }

    private func shakeHands() throws(TLSError) -> Bool {
        let code = unsafe SSL_do_handshake(ssl)
        guard code == 1 else {
            switch unsafe SSL_get_error(ssl, code) {
            case SSL_ERROR_WANT_READ: return false
            case SSL_ERROR_SSL: throw unsafe OpenSSLFailure.handshake(ssl)
            // Zero return: close_notify before the handshake was done.
            default: throw .truncated
            }
        }
        // A peer without ALPN has not agreed to our protocol. A client that offers only others was refused when the
        // server chose.
        guard context.protocols.isEmpty || negotiatedProtocol != nil || !context.requiresALPN else {
            throw .noCommonProtocol
        }
        // OpenSSL checks no dates on resumption. A client checks before its offer.
        if context.isServer, isResumed, let certificate = unsafe SSL_get0_peer_certificate(ssl),
            unsafe !TLSCertificate.isInTime(certificate, at: Int64(time(nil)))
        {
            throw .certificateExpired("certificate has expired")
        }
        return true
    }

    /// Consumes all of `ciphertext` and appends the decrypted bytes.
    package mutating func receive(
        _ ciphertext: Span<UInt8>,
        into plaintext: inout ByteQueue
    ) throws(TLSError) {
        if !hasReceived, ciphertext.count > 0 {
            hasReceived = true
            // A TLS connection begins with a handshake record (22) or, from a server, an alert (21).
            let first = ciphertext[0]
            guard first == 22 || (first == 21 && !context.isServer) else { throw .notTLS }
        }
        let pipe = pipe
        // The pipe's copy of the pointer lives only as long as this closure.
        try unsafe ciphertext.withUnsafeBytes { (bytes) throws(TLSError) in
            try unsafe pipe.withInput(bytes) { () throws(TLSError) in
                try handshake()
                if isHandshakeDone { try decrypt(into: &plaintext) }
            }
        }
    }

    private mutating func decrypt(into plaintext: inout ByteQueue) throws(TLSError) {
        ERR_clear_error()
        var code: Int32 = 1
        while code > 0 {
            // A record holds at most 2^14 bytes.
            unsafe plaintext.fill(byteCount: 1 << 14) { free in
                code = unsafe SSL_read(ssl, free.baseAddress, Int32(clamping: free.count))
                return max(0, Int(code))
            }
        }
        switch unsafe SSL_get_error(ssl, code) {
        case SSL_ERROR_WANT_READ: return
        case SSL_ERROR_ZERO_RETURN: isPeerDone = true
        case SSL_ERROR_SSL: throw unsafe OpenSSLFailure.handshake(ssl)
        default: throw .truncated
        }
    }

    // MARK: Plaintext in

    /// Encrypts all of it. Only after the handshake.
    package mutating func send(_ plaintext: Span<UInt8>) throws(TLSError) {
        precondition(isHandshakeDone)
        guard plaintext.count > 0 else { return }
        ERR_clear_error()
        var written = 0
        let code = unsafe plaintext.withUnsafeBytes { bytes in
            unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written)
        }
        // The pipe takes everything, so that OpenSSL never asks for a retry.
        guard code == 1, written == plaintext.count else { throw OpenSSLFailure.library("SSL_write_ex") }
    }

    /// Queues close_notify; the peer's remaining bytes may still be read.
    package mutating func close() {
        guard isHandshakeDone else { return }
        // 0 and 1 both mean "sent"; a failed session sends nothing.
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    // MARK: Ciphertext out

    package var ciphertextByteCount: Int { pipe.output.byteCount }

    /// Lends the bytes for the peer, oldest first.
    package borrowing func withCiphertext<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try pipe.output.withBytes(body)
    }

    package mutating func removeCiphertext(_ byteCount: Int) {
        pipe.output.removeFirst(byteCount)
    }

    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var byteCount: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &byteCount)
        guard let name = unsafe name, byteCount > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(byteCount)), as: UTF8.self)
    }

    /// True if this connection resumed a session, without exchanging certificates.
    package var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// Verified unless the context admits others. Nil before the handshake is done, and for a client without one. Kept
    /// by resumed sessions.
    package var peerCertificate: TLSCertificate? {
        guard isHandshakeDone, let certificate = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
        return unsafe TLSCertificate(owning: certificate)
    }

    /// True if the peer showed no certificate, or one that verified and is not revoked.
    package var isPeerVerified: Bool { unsafe SSL_get_verify_result(ssl) == Int(X509_V_OK) }

    /// For example "TLSv1.3".
    package var version: String {
        unsafe String(cString: SSL_get_version(ssl))
    }
}
