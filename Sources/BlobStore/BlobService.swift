internal import Envelope
package import HTTP
internal import Primitives

/// Blob folder over HTTP: requests in, answers out, without a socket, for any server.
///
/// Downloads are for everyone with an id. Uploads are for tenants and follow draft-ietf-httpbis-resumable-upload.
/// Nothing is listed or logged.
package struct BlobService: Sendable {
    /// Bound of an upload's part, which a server holds in memory.
    package static let partByteCountMax = 1 << 20

    let folder: BlobFolder
    let tenants: TenantList
    /// Seconds since 1970.
    let now: @Sendable () -> UInt64

    package init(folder: BlobFolder, tenants: TenantList, now: @escaping @Sendable () -> UInt64 = Self.systemTime) {
        self.folder = folder
        self.tenants = tenants
        self.now = now
    }

    package static let systemTime: @Sendable () -> UInt64 = { SystemClock.millisecondsSince1970 / 1_000 }

    /// For a server. An upload's body is read only for a known tenant.
    package var application: HTTPRequestApplication {
        HTTPRequestApplication(
            body: { request in
                let bringsPart = ["POST", "PATCH"].contains(request.method) && request.path.hasPrefix("/v1/uploads")
                guard bringsPart, let tenant = tenant(request) else { return nil }
                return (Self.partByteCountMax, .keyed(owner: Base64URL.string(tenant.key.bytes)))
            },
            answer: { response(to: $0) }
        )
    }

    /// - Returns: for an unknown path, the same as for a missing blob.
    package func response(to request: HTTPRequest) -> HTTPAnswer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].isEmpty, parts[1] == "v1" else { return .notFound }
        switch (parts[2], parts.count) {
        case ("blobs", 4): return download(parts[3], request)
        case ("uploads", 3): return begin(request)
        case ("uploads", 4): return upload(parts[3], request)
        default: return .notFound
        }
    }

    // MARK: Downloads

    private func download(_ name: Substring, _ request: HTTPRequest) -> HTTPAnswer {
        guard ["GET", "HEAD"].contains(request.method) else { return .methodNotAllowed("GET, HEAD") }
        let blob: OpenBlob
        do throws(BlobError) {
            // A malformed id is looked up too, so that timing reveals nothing.
            guard let found = try folder.read(BlobID(name) ?? .none, now: now()) else { return .notFound }
            blob = found
        } catch {
            return .failure(error)
        }
        return answer(blob, tag: "\"\(name)\"", request)
    }

    private func answer(_ blob: consuming OpenBlob, tag: String, _ request: HTTPRequest) -> HTTPAnswer {
        let byteCount = blob.header.byteCount
        // A blob never changes, so its id is its tag; another tag asks for the whole.
        let isSame = request.value(of: "If-Range").map { $0 == tag } ?? true
        var status = 200
        var (offset, partByteCount) = (UInt64(0), byteCount)
        var fields = Self.blobFields(tag)
        switch ByteRange(isSame ? request.value(of: "Range") : nil, of: byteCount) {
        case .whole: break
        case .part(let first, let count):
            status = 206
            (offset, partByteCount) = (first, count)
            fields.append(.init("Content-Range", "bytes \(first)-\(first + count - 1)/\(byteCount)"))
        case .unsatisfiable:
            fields.append(.init("Content-Range", "bytes */\(byteCount)"))
            return HTTPAnswer(status: 416, fields: fields)
        }
        let slice = HTTPFileSlice(
            owning: blob.release(),
            offset: OpenBlob.dataOffset + offset,
            byteCount: partByteCount
        )
        return HTTPAnswer(status: status, fields: fields, body: .file(slice))
    }

    private static func blobFields(_ tag: String) -> [HTTPRequest.Field] {
        [
            .init("Content-Type", "application/octet-stream"),
            .init("X-Content-Type-Options", "nosniff"),
            .init("Accept-Ranges", "bytes"),
            .init("ETag", tag),
            .init("Cache-Control", "no-store"),
        ]
    }
}

extension HTTPAnswer {
    /// One line for people.
    static func text(_ status: Int, _ text: String, _ fields: [HTTPRequest.Field] = []) -> HTTPAnswer {
        let standard: [HTTPRequest.Field] = [.init("Content-Type", "text/plain"), .init("Cache-Control", "no-store")]
        return HTTPAnswer(status: status, fields: standard + fields, body: .bytes(Array((text + "\n").utf8)))
    }

    /// One answer for every reason.
    static var notFound: HTTPAnswer { text(404, "not found") }

    static func methodNotAllowed(_ methods: String) -> HTTPAnswer {
        text(405, "the method is not allowed here", [.init("Allow", methods)])
    }

    /// Discloses neither paths nor system errors.
    static func failure(_ error: BlobError) -> HTTPAnswer {
        switch error {
        case .notFound: .notFound
        case .busy: text(409, "another request is using this upload")
        case .wrongOffset(let status): text(409, "the offset is not the upload's end", status.fields)
        case .tooLong(let status): text(413, "more bytes than Upload-Length", status.fields)
        case .incomplete(let status): text(400, "fewer bytes than Upload-Length", status.fields)
        case .tooLarge(let byteCountMax): text(413, "at most \(byteCountMax) bytes")
        case .quotaExceeded: text(507, "the quota is used up")
        case .tooManyUploads: text(429, "too many uploads at once")
        case .diskFull: text(507, "no space is left on the disk")
        case .folderInUse, .file: text(500, "the blob could not be read or written")
        }
    }
}
