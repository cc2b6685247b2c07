#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
internal import Envelope
private import HTTPSClient
private import Platform

/// Downloads over the network, each on its own thread; on a simulated device over the test's network.
public struct HTTPSDownloader: BlobDownloader {
    private let trust: HTTPSRequest.Trust
    private var patience: HTTPSRequest.Patience

    /// Creates a downloader with the system's trust.
    public init() { self.init(trust: .system) }

    /// Creates one that trusts only these authorities, a PEM file. Linux only.
    public init(authoritiesPath: String) { self.init(trust: .file(path: authoritiesPath)) }

    /// Creates one with longer timeouts, for overloaded machines.
    ///
    /// - Parameter patienceSeconds: for connecting, and between bytes.
    package init(authoritiesPath: String, patienceSeconds: Int) {
        self.init(trust: .file(path: authoritiesPath))
        (patience.connectSeconds, patience.stallSeconds) = (patienceSeconds, patienceSeconds)
    }

    private init(trust: HTTPSRequest.Trust) {
        self.trust = trust
        patience = HTTPSRequest.Patience()
    }

    /// Requests once, over a new connection.
    public func download(
        _ request: BlobRequest,
        take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(BlobDownloadError) {
        if let device = SimulatedDevice.current, let network = device.network {
            return try await SimulatedDownload(network, of: device).run(request, take: take)
        }
        var message = HTTPSRequest(.get, request.url.text)
        message.trust = trust
        message.patience = patience
        let reading = Reading(BlobReception(request))
        message.fields = [("Accept-Encoding", "identity")]
        if let range = BlobReception(request).rangeField { message.fields.append(("Range", range)) }
        let result = await DeviceExchange.run(
            message,
            host: request.url.host,
            port: request.url.port,
            onHead: { head in
                reading.go { reception throws(BlobDownloadError) in
                    try reception.begin(status: head.status) { head[$0] }
                }
            },
            onBytes: { bytes in
                reading.go { reception throws(BlobDownloadError) in try reception.add(byteCount: bytes.byteCount) }
                    && take(bytes)
            }
        )
        do throws(HTTPSError) { _ = try result.get() } catch { throw reading.error ?? BlobDownloadError(error) }
        try reading.end()
    }
}

private final class Reading: Sendable {
    private struct State {
        var reception: BlobReception
        var error: BlobDownloadError?
    }

    private let state: Guarded<State>

    init(_ reception: BlobReception) { state = Guarded(State(reception: reception)) }

    var error: BlobDownloadError? { state.withLock { $0.error } }

    /// - Returns: true if `step` succeeded.
    func go(_ step: (inout BlobReception) throws(BlobDownloadError) -> Void) -> Bool {
        state.withLock { state in
            do throws(BlobDownloadError) {
                try step(&state.reception)
                return true
            } catch {
                state.error = error
                return false
            }
        }
    }

    func end() throws(BlobDownloadError) {
        try state.withLock { state throws(BlobDownloadError) in try state.reception.end() }
    }
}

extension BlobDownloadError {
    fileprivate init(_ error: HTTPSError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .refusedByCaller: .refused
            case .notReached, .library: .notReached
            case .notTrusted, .certificateHasBadDate: .notTrusted
            case .connectionLost: .connectionLost
            case .malformedAnswer: .wrongAnswer
            }
    }
}
#endif
