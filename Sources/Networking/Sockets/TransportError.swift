/// Failure of a connection or a request. Never holds a header, a body or a key.
public enum TransportError: Error, Equatable, Sendable {
    /// The step whose deadline passed.
    public enum Phase: String, Sendable {
        case connect, proxy, handshake, request, ping, idle, close
    }

    case hostNotFound(reason: String)
    case connectionRefused
    case addressInUse(port: UInt16)
    case addressNotAvailable
    case system(call: String, code: Int32)
    case deadlineExceeded(Phase)
    /// Failed proxy on the route.
    case proxy(ProxyError)
    case tls(TLSError)
    case http2(HTTP2Error)
    /// Connection broken without a clean close.
    case connectionLost
    /// Clean close by either side.
    case connectionClosed
    case sendQueueFull(byteCountMax: Int)
    case cancelled
    case loopStopped
    /// The peer has not acted on the request: a retry cannot do it twice.
    case notProcessed(RequestFailure)
    /// Request that the peer may have acted on.
    case ambiguous(RequestFailure)
}

/// End of a request without a response.
public indirect enum RequestFailure: Equatable, Sendable {
    /// The peer ends the connection; `code` as in RFC 9113 section 7.
    case goAway(code: UInt32)
    /// The peer reset the stream unprocessed, with REFUSED_STREAM (RFC 9113 section 8.7).
    case refusedStream
    /// Another reset, by the peer or, for its misuse of the stream's window, by us.
    case reset(code: UInt32)
    case connection(TransportError)
    case deadlineExceeded
    case cancelled
    case queueFull(countMax: Int)
    case streamsExhausted
    case responseTooLarge(byteCountMax: Int)
    case malformedResponse
    case rejected(HTTP2Error)
}

/// Failure of TLS, a certificate or a key.
public enum TLSError: Error, Equatable, Sendable {
    case certificateUnreadable
    case privateKeyUnreadable
    case privateKeyDoesNotMatchCertificate
    case authorityUnreadable
    case protocolNameInvalid
    case hostNameInvalid

    case certificateExpired(String)
    case certificateNotYetValid(String)
    case wrongHost(String)
    case unknownAuthority(String)
    /// OpenSSL's X509_V_ERR number and text, for errors without a case.
    case certificateRefused(code: Int, String)
    /// No application protocol in common.
    case noCommonProtocol
    case notTLS
    /// Failed tag of a record, or checksum of a handshake message.
    case tampered
    /// The bytes end before close_notify.
    case truncated
    /// Peer's alert (RFC 8446 section 6.2).
    case alert(code: Int, String)
    case protocolViolation(String)
    case library(call: String, String)
}

/// Failure of an HTTP/2 session or of a call to it.
public enum HTTP2Error: Error, Equatable, Sendable {
    /// nghttp2's error number and call.
    case library(call: String, code: Int32)
    case streamsExhausted
    /// The peer broke the protocol and got a GOAWAY with `code` (RFC 9113 section 7).
    case violation(code: UInt32)
}
