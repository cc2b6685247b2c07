// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Foundation's download tasks give no file for what a `URLProtocol` loads, and trap with a delegate.
// Source: https://developer.apple.com/documentation/foundation/urlsession/downloadtask(with:completionhandler:)
extension URLSession {
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        guard usesProtocol(request) else {
            return self.FoundationNetworking::downloadTask(with: request, completionHandler: completionHandler)
        }
        return ProtocolDownloadTask(in: self, request) { _, file, response, error in
            completionHandler(file, response, error)
        }
    }

    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        guard usesProtocol(request) else { return self.FoundationNetworking::downloadTask(with: request) }
        return ProtocolDownloadTask(in: self, request) { [self] task, file, _, error in
            if let file {
                (delegate as? any URLSessionDownloadDelegate)?
                    .urlSession(self, downloadTask: task, didFinishDownloadingTo: file)
            }
            (delegate as? any URLSessionTaskDelegate)?.urlSession(self, task: task, didCompleteWithError: error)
        }
    }

    public func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        guard usesProtocol(request) else {
            return try await self.FoundationNetworking::download(for: request, delegate: delegate)
        }
        return try await withCheckedThrowingContinuation { continuation in
            ProtocolDownloadTask(in: self, request, keepsFile: true) { _, file, response, error in
                if let file, let response {
                    continuation.resume(returning: (file, response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }
            .resume()
        }
    }

    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    private func usesProtocol(_ request: URLRequest) -> Bool {
        let first = configuration.protocolClasses?.compactMap { $0 as? URLProtocol.Type }
            .first { $0.canInit(with: request) }
        return first.map { !String(reflecting: $0).hasPrefix("FoundationNetworking.") } ?? false
    }
}
