#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
internal import Envelope
internal import Platform

/// Download on a simulated device with a test's network and time, without sockets.
struct SimulatedDownload {
    private static let pieceByteCount = 16 << 10

    private let network: SimulatedDevice.Network

    init(_ network: @escaping SimulatedDevice.Network) { self.network = network }

    func run(_ request: BlobRequest, take: (RawSpan) -> Bool) async throws(BlobDownloadError) {
        var reception = BlobReception(request)
        guard let answer = await network(request.url.text, request.offset) else { throw .cancelled }
        try reception.begin(status: answer.status) { name in
            switch name {
            case "content-length": answer.byteCount.map { "\($0)" }
            case "content-range": "bytes \(request.offset)-\(request.byteCount - 1)/\(request.byteCount)"
            default: nil
            }
        }
        var rest = answer.body[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceByteCount))
            rest = rest.dropFirst(piece.count)
            try reception.add(byteCount: piece.count)
            guard take(unsafe piece.span.bytes) else { throw .refused }
        }
        try reception.end()
    }
}
#endif
