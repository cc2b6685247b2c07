/// Checks an HTTP answer against its request. A value: head and byte counts in, errors out.
struct BlobReception: Sendable {
    let request: BlobRequest
    private var missingByteCount: UInt64

    init(_ request: BlobRequest) {
        self.request = request
        missingByteCount = request.byteCount - request.offset
    }

    var rangeField: String? { request.offset > 0 ? "bytes=\(request.offset)-" : nil }

    /// - Parameter field: value by lower-case name.
    /// - Throws: `.redirected`, `.status`, `.wrongAnswer`, `.wrongLength`.
    func begin(status: Int, field: (String) -> String?) throws(BlobDownloadError) {
        switch status {
        case 200 where request.offset == 0: break
        case 206 where request.offset > 0: try checkRange(field("content-range"))
        // Unrequested or missing range.
        case 200, 206: throw .wrongAnswer
        case 300...399: throw .redirected
        default: throw .status(status)
        }
        if let coding = field("content-encoding"), coding != "identity" { throw .wrongAnswer }
        if let length = field("content-length"), UInt64(length) != missingByteCount { throw .wrongLength }
    }

    /// - Throws: `.wrongLength` for excess bytes, before their use.
    mutating func add(byteCount: Int) throws(BlobDownloadError) {
        guard byteCount <= missingByteCount else { throw .wrongLength }
        missingByteCount -= UInt64(byteCount)
    }

    /// - Throws: `.connectionLost` if bytes are missing.
    func end() throws(BlobDownloadError) {
        guard missingByteCount == 0 else { throw .connectionLost }
    }

    /// "bytes 100-999/1000" (RFC 9110, section 14.4).
    private func checkRange(_ field: String?) throws(BlobDownloadError) {
        guard field == "bytes \(request.offset)-\(request.byteCount - 1)/\(request.byteCount)" else {
            throw .wrongAnswer
        }
    }
}
