#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
import Foundation
#if SEALEDPUSH_APPLE_STANDINS
import AppleFoundation
#endif

/// One request in its own session, which keeps nothing.
enum RelayExchange {
    /// Seconds to connect, and for the next byte.
    private static let patience = 5.0

    static func run(
        _ asked: RelayRequest,
        to url: String,
        host: String,
        port: UInt16
    ) async throws(RelayClientError) -> RelayAnswer {
        guard let url = URL(string: url) else { throw .url }
        var request = URLRequest(url: url)
        request.httpMethod = asked.method.rawValue
        request.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        if asked.json != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        if let authorization = asked.authorization {
            request.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = patience
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        do {
            if let body = asked.json { request.httpBody = Data(body) }
            let (body, answer) = try await session.data(for: request)
            guard let answer = answer as? HTTPURLResponse, body.count <= RelayRequest.answerByteCountMax else {
                throw RelayClientError.wrongAnswer
            }
            return RelayAnswer(
                status: answer.statusCode,
                body: Array(body),
                date: answer.value(forHTTPHeaderField: "Date"),
                isFromCache: answer.value(forHTTPHeaderField: "Age") != nil
            )
        } catch let error as RelayClientError {
            throw error
        } catch {
            throw RelayClientError(error)
        }
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension RelayClientError {
    fileprivate init(_ failure: any Error) {
        self =
            switch (failure as? URLError)?.code {
            case .cancelled: .cancelled
            case .serverCertificateHasBadDate, .serverCertificateNotYetValid: .certificateHasBadDate
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .appTransportSecurityRequiresSecureConnection:
                .notTrusted
            case .networkConnectionLost, .timedOut: .connectionLost
            case .badServerResponse, .cannotParseResponse: .wrongAnswer
            default: .notReached
            }
    }
}
#endif
