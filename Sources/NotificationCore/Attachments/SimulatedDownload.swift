#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
internal import Envelope
internal import Platform

/// Download on a simulated device with a test's network and time, without sockets.
struct SimulatedDownload {
    private static let pieceByteCount = 16 << 10

    private let device: SimulatedDevice
    private let network: SimulatedDevice.Network

    init(_ network: @escaping SimulatedDevice.Network, of device: SimulatedDevice) {
        self.network = network
        self.device = device
    }

    func run(_ request: BlobRequest, take: (RawSpan) -> Bool) async throws(BlobDownloadError) {
        guard let answer = await network(request.url.text, request.offset) else { throw .cancelled }
        // Work, in which no time is to pass: the file may be long, and the machine busy.
        try device.run { () throws(BlobDownloadError) in try Self.receive(answer, to: request, take: take) }
    }

    private static func receive(
        _ answer: SimulatedDevice.NetworkAnswer,
        to request: BlobRequest,
        take: (RawSpan) -> Bool
    ) throws(BlobDownloadError) {
        var reception = BlobReception(request)
        try reception.begin(status: answer.status) { name in
            switch name {
            case "content-length": answer.byteCount.map { "\($0)" }
            case "content-range": "bytes \(request.offset)-\(request.byteCount - 1)/\(request.byteCount)"
            default: nil
            }
        }
        var rest = answer.body[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceByteCount))
            rest = rest.dropFirst(piece.count)
            try reception.add(byteCount: piece.count)
            guard take(unsafe piece.span.bytes) else { throw .refused }
        }
        try reception.end()
    }
}
#endif
