#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
package import HTTPSClient
private import Platform

/// HTTPS exchange on the device's network, on its own thread. Cancelling the task ends it.
package enum DeviceExchange {
    /// Ample: libcurl, OpenSSL and the name service document no need.
    private static let stackByteCount = 512 << 10

    /// - Parameters:
    ///   - request: to a public host, which a simulated device may map elsewhere.
    ///   - onHead: takes the head; false ends the exchange.
    ///   - onBytes: takes bytes in order; false ends the exchange.
    package static func run(
        _ request: HTTPSRequest,
        host: String,
        port: UInt16,
        onHead: @escaping @Sendable (HTTPSHead) -> Bool = { _ in true },
        onBytes: @escaping @Sendable (RawSpan) -> Bool
    ) async -> Result<HTTPSHead, HTTPSError> {
        var request = request
        if let mapping = SimulatedDevice.current?.hosts.first(where: { $0.host == host && $0.port == port }) {
            request.trust = .file(path: mapping.authoritiesPath)
            request.destination = (mapping.actualHost, mapping.actualPort)
        }
        let exchange = HTTPSExchange()
        return await withTaskCancellationHandler {
            await onThread { [request] in
                Result { () throws(HTTPSError) in try exchange.run(request, onHead: onHead, onBytes: onBytes) }
            }
        } onCancel: {
            exchange.cancel()
        }
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let device = DeviceBinding()
        return await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = { device.run { continuation.resume(returning: body()) } }
            // Without a new thread, one of the tasks' waits: better than none.
            if !DetachedThread.start(stackByteCount: Self.stackByteCount, work) { Task { work() } }
        }
    }
}
#endif
