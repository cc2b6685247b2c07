internal import CCurl
private import Platform

/// One request and its answer over HTTP/1.1 and TLS, on the caller's thread: no redirect, content coding, cookie, proxy
/// or second connection.
///
///     let exchange = HTTPSExchange()
///     try exchange.run(HTTPSRequest(.get, url), onHead: { $0.status == 200 }, onBytes: { file.write($0) })
///
/// Nothing is buffered: a slow callback slows the server down.
package final class HTTPSExchange: Sendable {
    private struct State {
        var isCancelled = false
        var multi: MultiHandle?
    }

    private let state = Guarded(State())

    package init() {}

    /// Ends the exchange from any thread, also before it begins.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Under the lock, which `run` takes before it frees the handle.
            state.multi?.wake()
        }
    }

    /// Blocks this thread until the answer is complete. Call it once.
    ///
    /// - Parameters:
    ///   - onHead: false ends the exchange.
    ///   - onBytes: gets bytes in order; false ends the exchange.
    /// - Throws: `HTTPSError`, perhaps after a part of the answer.
    @discardableResult
    package func run(
        _ request: HTTPSRequest,
        onHead: @escaping (HTTPSHead) -> Bool = { _ in true },
        onBytes: @escaping (RawSpan) -> Bool = { _ in true }
    ) throws(HTTPSError) -> HTTPSHead {
        let multi = try MultiHandle()
        state.withLock { $0.multi = multi }
        defer { state.withLock { $0.multi = nil } }
        let transfer = Transfer(request, onHead: onHead, onBytes: onBytes) { [self] in isCancelled }
        // libcurl has the transfer's address, without a reference.
        return try withExtendedLifetime(transfer) { () throws(HTTPSError) in
            let easy = try EasyHandle.make(request, for: transfer)
            try multi.add(easy)
            defer { multi.remove(easy) }
            while !isCancelled {
                try multi.perform()
                guard let (_, result) = multi.nextEnd() else {
                    try multi.wait()
                    continue
                }
                if isCancelled { break }
                if let error = transfer.error(result) {
                    throw error == .notTrusted && easy.hasBadDate ? .certificateHasBadDate : error
                }
                break
            }
            guard !isCancelled, let head = transfer.head else { throw .cancelled }
            return head
        }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }
}

extension HTTPSError {
    init?(_ result: CURLcode) {
        switch result {
        case CURLE_OK: return nil
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: self = .notReached
        case CURLE_OPERATION_TIMEDOUT, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .connectionLost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER:
            self = .notTrusted
        // A broken handshake: a restarting server, or one without TLS.
        case CURLE_SSL_CONNECT_ERROR: self = .notReached
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .malformedAnswer
        default: self = .library(call: "curl_multi_perform", code: Int32(bitPattern: result.rawValue))
        }
    }
}
