/// Why a connection or a request failed. Never holds a header, a body or a key.
public enum TransportError: Error, Equatable, Sendable {
    /// What ran out of time.
    public enum Phase: String, Sendable {
        case connect, proxy, handshake, request, ping, idle, close
    }

    case hostNotFound(reason: String)
    case connectionRefused
    case addressInUse(port: UInt16)
    case addressNotAvailable
    case system(call: String, code: Int32)
    case deadlineExceeded(Phase)
    /// The way there leads through a proxy, and it ended at the proxy.
    case proxy(ProxyError)
    case tls(TLSError)
    case http2(HTTP2Error)
    /// The peer went without saying goodbye.
    case connectionLost
    /// Closed in order, by either side.
    case connectionClosed
    case sendQueueFull(byteCountMax: Int)
    case cancelled
    case loopStopped
    /// The peer has not acted on the request: sending it again cannot do it twice.
    case notProcessed(RequestFailure)
    /// The peer may or may not have acted on the request.
    case ambiguous(RequestFailure)
}

/// What ended a request without a response.
public indirect enum RequestFailure: Equatable, Sendable {
    /// The peer ends the connection; `code` as in RFC 9113 section 7.
    case goAway(code: UInt32)
    /// The peer reset the stream with REFUSED_STREAM: nothing was done (RFC 9113 section 8.7).
    case refusedStream
    /// The stream was reset for another reason: by the peer, or by us for how it treats the stream's window.
    case reset(code: UInt32)
    case connection(TransportError)
    case deadlineExceeded
    case cancelled
    case queueFull(countMax: Int)
    /// This connection has used all its stream numbers.
    case streamsExhausted
    case responseTooLarge(byteCountMax: Int)
    case malformedResponse
    case rejected(HTTP2Error)
}

/// Why TLS bytes, a certificate or a key could not be used.
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
    /// OpenSSL's X509_V_ERR number and its text, for what has no case of its own.
    case certificateRefused(code: Int, String)
    /// Both sides speak TLS and have no application protocol in common.
    case noCommonProtocol
    case notTLS
    /// A record failed its tag check, or a handshake message its checksum.
    case tampered
    /// The bytes end before the peer said that they end.
    case truncated
    /// The peer's alert (RFC 8446 section 6.2).
    case alert(code: Int, String)
    case protocolViolation(String)
    case library(call: String, String)
}

/// Why an HTTP/2 session could not go on, or refused what it was given.
public enum HTTP2Error: Error, Equatable, Sendable {
    /// nghttp2's own error number, with the call that gave it.
    case library(call: String, code: Int32)
    case streamsExhausted
    /// The peer broke the protocol, and was told so by a GOAWAY with `code` (RFC 9113 section 7).
    case violation(code: UInt32)
}
