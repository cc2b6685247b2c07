public import Envelope
internal import HTTPSClient
internal import Platform

/// Uploads sealed attachments to a host of `sealedpush-blobs`, or with `PUT` to a pre-signed URL. Files are read while
/// they are sent.
public struct AttachmentUploader: Sendable {
    /// Certificate authorities that may vouch for the host.
    public enum Trust: Sendable {
        /// The system's.
        case system
        /// Those of a PEM file only.
        case file(path: String)
    }

    private let trust: HTTPSRequest.Trust
    /// Delay before the second try; doubled for each further one.
    private let retryDelay: Duration
    private let connectSeconds: Int

    /// Creates an uploader.
    public init(trust: Trust = .system) { self.init(trust: trust, retryDelay: .milliseconds(500)) }

    init(trust: Trust, retryDelay: Duration, connectSeconds: Int = 15) {
        switch trust {
        case .system: self.trust = .system
        case .file(let path): self.trust = .file(path: path)
        }
        self.retryDelay = retryDelay
        self.connectSeconds = connectSeconds
    }

    /// Uploads to a blob host in parts; a broken connection costs at most one part.
    ///
    /// - Parameters:
    ///   - path: sealed file; it must not change meanwhile.
    ///   - host: runs `sealedpush-blobs`.
    ///   - lifetime: time to keep it there, in whole seconds; nil for the host's default.
    /// - Returns: URL that devices fetch.
    /// - Throws: `UploadError`. The host deletes an unfinished upload after a day.
    public func upload(
        _ path: String,
        to host: BlobHost,
        lifetime: Duration? = nil
    ) async throws(UploadError) -> AttachmentURL {
        try await upload(path, to: host, lifetime: lifetime) { _ in }
    }

    /// Reports before each part the bytes that the host has.
    package func upload(
        _ path: String,
        to host: BlobHost,
        lifetime: Duration?,
        progress: @Sendable (UInt64) -> Void
    ) async throws(UploadError) -> AttachmentURL {
        let file = try SealedFile(path)
        var plan = UploadPlan(byteCount: file.byteCount)
        while true {
            let request: HTTPSRequest
            switch plan.next {
            case .begin(let byteCount):
                request = try begin(host, file, byteCount, lifetime)
            case .append(let path, let offset, let byteCount):
                progress(offset)
                request = try append(host, path, file, offset, byteCount)
            case .ask(let path):
                request = try self.request(.head, host, path)
            case .finish(let path):
                guard let url = host.url(path) else { throw .malformedAnswer }
                return url
            case .fail(let error):
                throw error
            }
            switch try await Exchange.run(request) {
            case .success(let head): plan.handle(UploadPlan.Answer(head))
            case .failure(let error): plan.handleFailure(error)
            }
            try await wait(failureCount: plan.failureCount)
        }
    }

    /// Uploads with one `PUT`, as to S3. A broken connection means starting again.
    ///
    /// - Parameters:
    ///   - path: must not change meanwhile.
    ///   - url: pre-signed by the storage's owner. Only `Content-Length` is sent with it.
    public func put(_ path: String, to url: String) async throws(UploadError) {
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformedURL
        }
        let file = try SealedFile(path)
        var failureCount = 0
        while true {
            var request = HTTPSRequest(.put, url)
            request.body = file.body(offset: 0, byteCount: file.byteCount)
            let failure: UploadError
            switch try await Exchange.run(prepared(request)) {
            case .success(let head) where [200, 201, 204].contains(head.status): return
            case .success(let head) where [401, 403].contains(head.status): throw .unauthorized
            case .success(let head) where head.status < 500: throw .refused(status: head.status)
            case .success(let head): failure = .refused(status: head.status)
            case .failure(let error): failure = error
            }
            failureCount += 1
            guard failureCount < UploadPlan.failureCountMax else { throw failure }
            try await wait(failureCount: failureCount)
        }
    }

    /// Waits up to 16 times the first delay.
    private func wait(failureCount: Int) async throws(UploadError) {
        guard failureCount > 0 else { return }
        do {
            try await Task.sleep(for: retryDelay * (1 << min(failureCount - 1, 4)))
        } catch {
            throw .cancelled
        }
    }
}

extension AttachmentUploader {
    private func begin(
        _ host: BlobHost,
        _ file: SealedFile,
        _ byteCount: UInt64,
        _ lifetime: Duration?
    ) throws(UploadError) -> HTTPSRequest {
        var request = try request(.post, host, "/v1/uploads")
        request.fields += [
            ("Upload-Length", "\(file.byteCount)"), ("Upload-Complete", byteCount == file.byteCount ? "?1" : "?0"),
        ]
        if let lifetime { request.fields.append(("Expires-In", "\(max(0, lifetime.components.seconds))")) }
        request.body = file.body(offset: 0, byteCount: byteCount)
        return request
    }

    private func append(
        _ host: BlobHost,
        _ path: String,
        _ file: SealedFile,
        _ offset: UInt64,
        _ byteCount: UInt64
    ) throws(UploadError) -> HTTPSRequest {
        var request = try request(.patch, host, path)
        request.fields += [
            ("Content-Type", "application/partial-upload"), ("Upload-Offset", "\(offset)"),
            ("Upload-Complete", offset + byteCount == file.byteCount ? "?1" : "?0"),
        ]
        request.body = file.body(offset: offset, byteCount: byteCount)
        return request
    }

    private func request(
        _ method: HTTPSRequest.Method,
        _ host: BlobHost,
        _ path: String
    ) throws(UploadError) -> HTTPSRequest {
        guard let url = host.url(path) else { throw .malformedAnswer }
        var request = HTTPSRequest(method, url.text)
        request.fields = [("Authorization", "Bearer \(host.token)")]
        return prepared(request)
    }

    private func prepared(_ request: HTTPSRequest) -> HTTPSRequest {
        var request = request
        request.trust = trust
        // The host's disk may delay a part.
        request.patience.stallSeconds = 60
        request.patience.connectSeconds = connectSeconds
        return request
    }
}

extension UploadPlan.Answer {
    init(_ head: HTTPSHead) {
        status = head.status
        offset = head["upload-offset"].flatMap { UInt64($0) }
        isComplete = head["upload-complete"] == "?1"
        location = head["location"]
    }
}
