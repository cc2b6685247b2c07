/// Download of what a `URLProtocol` loads, over a data task of its own session, chunk by chunk into a file.
///
/// Unchecked: the data task is set before this one is handed out.
final class ProtocolDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    typealias Handler = @Sendable (URLSessionDownloadTask, URL?, URLResponse?, (any Error)?) -> Void

    private var loading: URLSessionDataTask?

    /// - Parameter keepsFile: False deletes the file after the handler.
    init(in session: URLSession, _ request: URLRequest, keepsFile: Bool = false, _ handler: @escaping Handler) {
        super.init()
        let file = DownloadedFile { file, response, error in
            handler(self, error == nil ? file : nil, response, error)
            // The handler may have moved it.
            if error != nil || !keepsFile { try? FileManager.default.removeItem(at: file) }
        }
        let own = URLSession(configuration: session.configuration, delegate: file, delegateQueue: session.delegateQueue)
        loading = own.dataTask(with: request)
        own.finishTasksAndInvalidate()
    }

    override func resume() { loading?.resume() }
    override func suspend() { loading?.suspend() }
    override func cancel() { loading?.cancel() }
    override var state: URLSessionTask.State { loading?.state ?? .suspended }
    override var response: URLResponse? { loading?.response }
    override var error: (any Error)? { loading?.error }
    override var originalRequest: URLRequest? { loading?.originalRequest }
    override var currentRequest: URLRequest? { loading?.currentRequest }
    override var countOfBytesReceived: Int64 { loading?.countOfBytesReceived ?? 0 }
    override var countOfBytesExpectedToReceive: Int64 { loading?.countOfBytesExpectedToReceive ?? -1 }
}

/// Unchecked: a session calls its delegate on one queue.
private final class DownloadedFile: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("CFNetworkDownload_\(UUID().uuidString).tmp")
    private let done: @Sendable (URL, URLResponse?, (any Error)?) -> Void
    private var file: FileHandle?
    private var writeError: (any Error)?

    init(_ done: @escaping @Sendable (URL, URLResponse?, (any Error)?) -> Void) {
        self.done = done
        super.init()
        do {
            try Data().write(to: url)
            file = try FileHandle(forWritingTo: url)
        } catch {
            writeError = error
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard writeError == nil else { return }
        do { try file?.write(contentsOf: data) } catch { writeError = error }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        do { try file?.close() } catch { writeError = writeError ?? error }
        done(url, task.response, error ?? writeError)
    }
}
