import Platform

extension TransportError: CustomStringConvertible {
    /// Failure and the next step in one clause, without anything from a peer.
    public var description: String {
        switch self {
        case .hostNotFound(let reason): "the host name was not found (\(reason)); check it"
        case .connectionRefused: "nothing listens there; check that the server runs, and on this port"
        case .addressInUse(let port): "port \(port) is in use; stop the other program, or choose another port (0: any)"
        case .addressNotAvailable: "this machine does not have that address"
        case .system(let call, let code): "\(Self.systemText(code)) (\(call))"
        case .deadlineExceeded(let phase): "no answer in time (\(phase.rawValue)); try again"
        case .proxy(let error): error.description
        case .tls(let error): error.description
        case .http2(let error): "the server does not speak HTTP/2 as it should (\(error))"
        case .connectionLost: "the connection broke; try again"
        case .connectionClosed: "the server closed the connection; try again"
        case .sendQueueFull: "the peer reads too slowly"
        case .cancelled: "cancelled"
        case .loopStopped: "stopped"
        case .notProcessed(let failure): "not processed, so it can be sent again: \(failure)"
        case .ambiguous(let failure):
            "the push may have been accepted: \(failure); sending it again may show it twice"
        }
    }

    private static func systemText(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

extension ProxyError: CustomStringConvertible {
    /// Failure and the next step.
    public var description: String {
        switch self {
        case .urlInvalid(let part):
            "the proxy's URL has a wrong \(part.name); it looks like http://user:password@host:port, or socks5://host:port"
        case .credentialsInvalid: "the proxy's user name or password is too long, or has characters it cannot have"
        case .targetInvalid: "the host name cannot be sent to a proxy"
        case .unreachable(let error): "the proxy cannot be reached: \(error.description)"
        case .refused(status: 407), .credentialsRefused: "the proxy refused the user name or password"
        case .noCommonAuthentication: "the proxy requires a user name and password, or another authentication method"
        case .refused(let status): "the proxy refuses the connection (HTTP status \(status))"
        case .refusedBySOCKS(let code): "the proxy refuses the connection: \(Self.socksText(code))"
        case .replyMalformed, .bytesBehindReply: "the proxy's answer is malformed; check its kind"
        case .replyTooLong: "the proxy's answer is too long; check that it is a proxy"
        case .closed: "the proxy closed the connection before it had answered"
        }
    }

    /// RFC 1928 section 6.
    private static func socksText(_ code: UInt8) -> String {
        switch code {
        case 1: "it failed"
        case 2: "its rules do not allow it"
        case 3: "the network is unreachable"
        case 4: "the host is unreachable"
        case 5: "the host refuses it"
        case 6: "the host is too far away"
        case 7: "it makes no connections"
        case 8: "it does not know this kind of address"
        default: "code \(code)"
        }
    }
}

extension ProxyError.URLPart {
    fileprivate var name: String {
        switch self {
        case .scheme: "scheme"
        case .userInfo: "user name or password"
        case .host: "host"
        case .port: "port (it must be written out)"
        case .path: "end: nothing may follow the port"
        }
    }
}

extension RequestFailure: CustomStringConvertible {
    /// Failure in one clause.
    public var description: String {
        switch self {
        case .goAway: "the server is ending the connection"
        case .refusedStream: "the server refused the stream"
        case .reset(let code): "the stream was reset (code \(code))"
        case .connection(let error): error.description
        case .deadlineExceeded: "no answer in time"
        case .cancelled: "cancelled"
        case .queueFull: "too many requests wait"
        case .streamsExhausted: "the connection has used all its streams"
        case .responseTooLarge: "the answer is too large"
        case .malformedResponse: "the answer is malformed"
        case .rejected: "the request cannot be sent as HTTP/2"
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// Failure and the next step; the texts are OpenSSL's own.
    public var description: String {
        switch self {
        case .certificateUnreadable: "the certificate is not PEM that OpenSSL can read"
        case .privateKeyUnreadable: "the private key is not PEM that OpenSSL can read, or is encrypted"
        case .privateKeyDoesNotMatchCertificate: "the private key does not belong to the certificate"
        case .authorityUnreadable: "not a PEM file of certificates"
        case .protocolNameInvalid, .hostNameInvalid: "the host name cannot stand in a certificate"
        case .certificateExpired: "the server's certificate has expired; check both clocks"
        case .certificateNotYetValid: "the server's certificate is not valid yet; check both clocks"
        case .wrongHost: "the server's certificate is for another host name; check the name, or the network between"
        case .unknownAuthority:
            "the server's certificate is from an unknown authority; configure its CA if you trust it"
        case .certificateRefused(_, let text): "the server's certificate is refused: \(text)"
        case .noCommonProtocol: "the server speaks another protocol on this port; is it the right one?"
        case .notTLS: "the server does not speak TLS on this port; is it the right one?"
        case .tampered: "the connection was tampered with"
        case .truncated: "the server closed the connection during TLS"
        case .alert(_, let text): "the server refused TLS: \(text)"
        case .protocolViolation(let text): "TLS failed: \(text)"
        case .library(let call, let text): "TLS failed (\(call)): \(text)"
        }
    }
}
