#if canImport(Darwin)
import Foundation

/// One POST of JSON to the relay, with a session of its own that keeps nothing.
enum RelayExchange {
    /// For the connection, and for the next byte, in seconds.
    private static let patience = 5.0

    /// - Returns: the answer's status.
    /// - Throws: `RelayClientError`.
    static func post(
        _ body: [UInt8],
        to url: String,
        host: String,
        port: UInt16
    ) async throws(RelayClientError) -> Int {
        guard let url = URL(string: url) else { throw .url }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = patience
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        do {
            let (_, answer) = try await session.upload(for: request, from: Data(body))
            guard let answer = answer as? HTTPURLResponse else { throw RelayClientError.wrongAnswer }
            return answer.statusCode
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
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension RelayClientError {
    fileprivate init(_ failure: any Error) {
        self =
            switch (failure as? URLError)?.code {
            case .cancelled: .cancelled
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
                .appTransportSecurityRequiresSecureConnection:
                .notTrusted
            case .networkConnectionLost, .timedOut: .connectionLost
            case .badServerResponse, .cannotParseResponse: .wrongAnswer
            default: .notReached
            }
    }
}
#endif
