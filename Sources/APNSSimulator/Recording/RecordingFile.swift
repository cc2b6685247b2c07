import APNS
import Platform
import Transport

/// The file that a run is recorded into: one exchange a line, written as it happens and forced to disk at the end. Of mode
/// 0600: no key is in it, and it still says who pushed what to which app. Lives on the loop once a simulator has it.
package final class RecordingFile {
    /// Which call failed, with the system's number.
    package struct Failure: Error, Equatable, Sendable {
        package let call: String
        package let code: Int32

        /// Whether there was a file at the path already.
        package var isFileThere: Bool { code == EEXIST }
    }

    private var descriptor: Int32
    private let hasPayloads: Bool
    private let beginning = MonotonicTime.now()
    /// The first one; nothing is written after it.
    private var failure: Failure?

    /// - Parameters:
    ///   - path: where nothing is yet: a recording is never written over.
    ///   - hasPayloads: whether payloads are in it.
    /// - Throws: why there is no file.
    package init(path: String, hasPayloads: Bool) throws(Failure) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        self.hasPayloads = hasPayloads
        guard descriptor >= 0 else { throw Failure(call: "open", code: errno) }
    }

    deinit { _ = close() }

    func append(
        _ request: HTTP2ServerRequest,
        outcome: RecordedExchange.Outcome,
        connection: Int,
        unixSeconds: Int64,
        answeredID: [UInt8],
        deviceNumber: (DeviceToken) -> Int?
    ) {
        let exchange = RecordedExchange(
            request,
            outcome: outcome,
            milliseconds: Int64((MonotonicTime.now() - beginning) / .milliseconds(1)),
            unixSeconds: unixSeconds,
            connection: connection,
            answeredID: answeredID,
            hasPayload: hasPayloads,
            deviceNumber: deviceNumber
        )
        write(exchange.line + [UInt8(ascii: "\n")])
    }

    private func write(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty, failure == nil, descriptor >= 0 {
            let count = unsafe rest.withUnsafeBytes { unsafe Platform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                failure = Failure(call: "write", code: errno)
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Forces it to disk. A second call does nothing.
    ///
    /// - Returns: why it is not complete.
    package func close() -> Failure? {
        guard descriptor >= 0 else { return failure }
        if fsync(descriptor) != 0, failure == nil { failure = Failure(call: "fsync", code: errno) }
        Platform.close(descriptor)
        descriptor = -1
        return failure
    }
}
