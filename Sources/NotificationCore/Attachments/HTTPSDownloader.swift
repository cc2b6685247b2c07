#if !canImport(Darwin)
internal import Envelope
private import HTTPSClient
private import Platform

/// Downloads over the machine's network, each on a thread of its own; on a simulated device, over the network that its
/// test gives it.
public struct HTTPSDownloader: BlobDownloader {
    /// For libcurl, OpenSSL and the name service, which say nowhere what they need.
    private static let stackByteCount = 512 << 10

    private let trust: HTTPSRequest.Trust
    private var patience: HTTPSRequest.Patience

    /// Trusts whom the system trusts.
    public init() { self.init(trust: .system) }

    /// Trusts these authorities and no others. Linux only.
    ///
    /// - Parameter authoritiesPath: a PEM file.
    public init(authoritiesPath: String) { self.init(trust: .file(path: authoritiesPath)) }

    /// The same with another patience than a phone's, for machines that may be starved of time.
    ///
    /// - Parameters:
    ///   - authoritiesPath: a PEM file.
    ///   - patienceSeconds: for the connection, and for each byte after another.
    package init(authoritiesPath: String, patienceSeconds: Int) {
        self.init(trust: .file(path: authoritiesPath))
        (patience.connectSeconds, patience.stallSeconds) = (patienceSeconds, patienceSeconds)
    }

    private init(trust: HTTPSRequest.Trust) {
        self.trust = trust
        patience = HTTPSRequest.Patience()
    }

    /// Asks once, over a connection of its own.
    ///
    /// - Parameters:
    ///   - request: which bytes.
    ///   - take: gets the bytes in order; false where no more are wanted.
    /// - Throws: `BlobDownloadError`.
    public func download(
        _ request: BlobRequest,
        take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(BlobDownloadError) {
        if let network = SimulatedDevice.current?.network {
            return try await SimulatedDownload(network).run(request, take: take)
        }
        let exchange = HTTPSExchange()
        let result = await withTaskCancellationHandler {
            await onThread { Result { () throws(BlobDownloadError) in try run(exchange, request, take: take) } }
        } onCancel: {
            exchange.cancel()
        }
        try result.get()
    }

    private func run(
        _ exchange: HTTPSExchange,
        _ request: BlobRequest,
        take: @escaping (RawSpan) -> Bool
    ) throws(BlobDownloadError) {
        var message = HTTPSRequest(.get, request.url.text)
        message.trust = trust
        let host = SimulatedDevice.current?.hosts.first { $0.host == request.url.host && $0.port == request.url.port }
        if let host {
            message.trust = .file(path: host.authoritiesPath)
            message.destination = (host.actualHost, host.actualPort)
        }
        message.patience = patience
        let reading = Reading(BlobReception(request))
        message.fields = [("Accept-Encoding", "identity")]
        if let range = reading.reception.rangeField { message.fields.append(("Range", range)) }
        do throws(HTTPSError) {
            try exchange.run(
                message,
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
        } catch {
            throw reading.error ?? BlobDownloadError(error)
        }
        try reading.reception.end()
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let device = DeviceBinding()
        return await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = { device.run { continuation.resume(returning: body()) } }
            // Without a thread to be had, one of those of tasks waits for the network: better than none.
            if !DetachedThread.start(stackByteCount: Self.stackByteCount, work) { Task { work() } }
        }
    }
}

/// One answer, as far as it was read. On the thread of its exchange.
private final class Reading {
    private(set) var reception: BlobReception
    private(set) var error: BlobDownloadError?

    init(_ reception: BlobReception) { self.reception = reception }

    /// - Returns: whether `step` had no objection.
    func go(_ step: (inout BlobReception) throws(BlobDownloadError) -> Void) -> Bool {
        do throws(BlobDownloadError) {
            try step(&reception)
            return true
        } catch {
            self.error = error
            return false
        }
    }
}

extension BlobDownloadError {
    fileprivate init(_ error: HTTPSError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .refusedByCaller: .refused
            case .notReached, .library: .notReached
            case .notTrusted: .notTrusted
            case .connectionLost: .connectionLost
            case .malformedAnswer: .wrongAnswer
            }
    }
}
#endif
