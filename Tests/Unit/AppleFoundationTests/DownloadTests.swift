import AppleFoundation
import Platform
import Testing

/// Downloads of what a `URLProtocol` loads.
struct DownloadTests {
    /// The path is the behavior.
    private final class Server: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            if url.path == "/stalled" { return }
            client?.urlProtocol(self, didLoad: Data("Hello, ".utf8))
            if url.path == "/broken" {
                client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
                return
            }
            client?.urlProtocol(self, didLoad: Data("world".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    private struct Result: Sendable {
        var file: URL?
        var text: String?
        var status: Int?
        var code: Int?

        init(_ file: URL?, _ response: URLResponse?, _ error: (any Error)?) {
            self.file = file
            text = file.flatMap { FileManager.default.contents(atPath: $0.path) }.map {
                String(decoding: $0, as: UTF8.self)
            }
            status = (response as? HTTPURLResponse)?.statusCode
            code = (error as? URLError)?.code.rawValue ?? (error as NSError?)?.code
        }
    }

    private let configuration: URLSessionConfiguration = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Server.self]
        return configuration
    }()

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://example.org/\(path)")) }

    @Test func `a download gives a file, which is gone after the handler`() async throws {
        let session = URLSession(configuration: configuration)
        let url = try url("whole")
        let result = await withCheckedContinuation { continuation in
            session.downloadTask(with: url) { continuation.resume(returning: Result($0, $1, $2)) }.resume()
        }
        #expect(result.text == "Hello, world" && result.status == 201 && result.code == nil)
        let moved = try #require(result.file)
        session.finishTasksAndInvalidate()
        // The file is deleted on the session's queue, right behind the handler.
        await withCheckedContinuation { done in session.delegateQueue.addOperation { done.resume() } }
        #expect(!FileManager.default.fileExists(atPath: moved.path))
    }

    @Test func `a download that breaks off gives an error and no file`() async throws {
        let session = URLSession(configuration: configuration)
        let url = try url("broken")
        let result = await withCheckedContinuation { continuation in
            session.downloadTask(with: url) { continuation.resume(returning: Result($0, $1, $2)) }.resume()
        }
        #expect(result.file == nil && result.code == URLError.networkConnectionLost.rawValue)
    }

    @Test func `a cancelled download says so`() async throws {
        let session = URLSession(configuration: configuration)
        let url = try url("stalled")
        let result = await withCheckedContinuation { continuation in
            let task = session.downloadTask(with: url) { continuation.resume(returning: Result($0, $1, $2)) }
            task.resume()
            task.cancel()
        }
        #expect(result.file == nil && result.code == URLError.cancelled.rawValue)
    }

    @Test func `an awaited download keeps its file`() async throws {
        let (file, response) = try await URLSession(configuration: configuration).download(from: try url("whole"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(Result(file, response, nil).text == "Hello, world")
        await #expect(throws: (any Error).self) {
            try await URLSession(configuration: configuration).download(from: try url("broken"))
        }
    }

    private final class Delegate: NSObject, URLSessionDownloadDelegate {
        let (results, continuation) = AsyncStream.makeStream(of: Result.self)

        func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
            continuation.yield(Result(file, downloadTask.response, nil))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            continuation.yield(Result(nil, task.response, error))
            continuation.finish()
        }
    }

    @Test(arguments: [("whole", ["Hello, world", nil]), ("broken", [nil])])
    func `a delegate gets the file, and then the end`(_ path: String, _ texts: [String?]) async throws {
        let delegate = Delegate()
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        session.downloadTask(with: try url(path)).resume()
        var results: [Result] = []
        for await result in delegate.results { results.append(result) }
        #expect(results.map(\.text) == texts && (results.last?.code == nil) == (path == "whole"))
    }
}
