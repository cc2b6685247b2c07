/// Holds one answer to what was asked for, before and while it is read. A value: head and numbers of bytes in, errors out.
struct BlobReception: Sendable {
    let request: BlobRequest
    private var missingByteCount: UInt64

    init(_ request: BlobRequest) {
        self.request = request
        missingByteCount = request.byteCount - request.offset
    }

    /// The value of the `Range` field (RFC 9110, section 14.2); nil where everything is asked for.
    var rangeField: String? { request.offset > 0 ? "bytes=\(request.offset)-" : nil }

    /// - Parameters:
    ///   - status: of the answer.
    ///   - field: the value of a field of the answer, by its name in lower case; nil where there is none.
    /// - Throws: `.redirected`, `.status`, `.wrongAnswer`, `.wrongLength`.
    func begin(status: Int, field: (String) -> String?) throws(BlobDownloadError) {
        switch status {
        case 200 where request.offset == 0: break
        case 206 where request.offset > 0: try checkRange(field("content-range"))
        // A range nobody asked for, or none where one was.
        case 200, 206: throw .wrongAnswer
        case 300...399: throw .redirected
        default: throw .status(status)
        }
        if let coding = field("content-encoding"), coding != "identity" { throw .wrongAnswer }
        if let length = field("content-length"), UInt64(length) != missingByteCount { throw .wrongLength }
    }

    /// - Parameter byteCount: of the next piece.
    /// - Throws: `.wrongLength` for one byte too many, before it is used.
    mutating func add(byteCount: Int) throws(BlobDownloadError) {
        guard byteCount <= missingByteCount else { throw .wrongLength }
        missingByteCount -= UInt64(byteCount)
    }

    /// - Throws: `.connectionLost` where the answer ended early.
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
