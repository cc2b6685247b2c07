#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
internal import Envelope
import Foundation
#if SEALEDPUSH_APPLE_STANDINS
import AppleFoundation
#endif
import Platform

/// Uses its own session, without cache, cookies or credentials.
public struct HTTPSDownloader: BlobDownloader {
    /// Timeout for the next byte.
    private static let stallSeconds = 5.0

    /// Creates a downloader with the system's trust.
    public init() {}

    /// Requests once, over a new connection.
    public func download(
        _ request: BlobRequest,
        take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(BlobDownloadError) {
        guard let url = URL(string: request.url.text) else { throw .wrongAnswer }
        let reading = SessionReading(BlobReception(request), take: take)
        var message = URLRequest(url: url)
        message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let range = BlobReception(request).rangeField { message.setValue(range, forHTTPHeaderField: "Range") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = Self.stallSeconds
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: reading, delegateQueue: queue)
        let task = session.dataTask(with: message)
        task.resume()
        let result = await withTaskCancellationHandler {
            await reading.result
        } onCancel: {
            task.cancel()
        }
        session.finishTasksAndInvalidate()
        try result.get()
    }
}

/// Unchecked: the session owns unlocked state and calls serially on its queue.
private final class SessionReading: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private var reception: BlobReception
    private var error: BlobDownloadError?
    private let take: @Sendable (RawSpan) -> Bool
    private let end = Guarded(End())

    private struct End {
        var result: Result<Void, BlobDownloadError>?
        var waiter: CheckedContinuation<Result<Void, BlobDownloadError>, Never>?
    }

    init(_ reception: BlobReception, take: @escaping @Sendable (RawSpan) -> Bool) {
        self.reception = reception
        self.take = take
    }

    var result: Result<Void, BlobDownloadError> {
        get async {
            await withCheckedContinuation { continuation in
                let result = end.withLock { end in
                    if end.result == nil { end.waiter = continuation }
                    return end.result
                }
                if let result { continuation.resume(returning: result) }
            }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        do throws(BlobDownloadError) {
            guard let response = response as? HTTPURLResponse else { throw .wrongAnswer }
            try reception.begin(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
            completionHandler(.allow)
        } catch {
            self.error = error
            completionHandler(.cancel)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard error == nil else { return }
        do throws(BlobDownloadError) {
            try reception.add(byteCount: data.count)
            guard unsafe data.withUnsafeBytes({ unsafe take($0.bytes) }) else { throw .refused }
        } catch {
            self.error = error
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError failure: (any Error)?) {
        let result = Result { () throws(BlobDownloadError) in
            if let error { throw error }
            if let failure { throw BlobDownloadError(failure) }
            try reception.end()
        }
        let waiter = end.withLock { end in
            end.result = result
            return end.waiter
        }
        waiter?.resume(returning: result)
    }
}

extension BlobDownloadError {
    fileprivate init(_ failure: any Error) {
        self =
            switch (failure as? URLError)?.code {
            case .cancelled: .cancelled
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
                .appTransportSecurityRequiresSecureConnection:
                .notTrusted
            case .networkConnectionLost, .timedOut: .connectionLost
            case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData: .wrongAnswer
            default: .notReached
            }
    }
}
#endif
