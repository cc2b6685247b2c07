import APNS
import HTTP
import Networking
import Platform

/// Recording: one exchange a line, forced to disk at the end. Mode 0600: it shows pushes, though no key. On the loop.
package final class RecordingFile {
    private var descriptor: Int32
    private let hasPayloads: Bool
    private let beginning = MonotonicTime.now()
    /// First failure; nothing is written after it.
    private var failure: RecordingFileError?

    /// - Parameter path: must not exist: no recording is overwritten.
    package init(path: String, hasPayloads: Bool) throws(RecordingFileError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        self.hasPayloads = hasPayloads
        guard descriptor >= 0 else { throw RecordingFileError(call: "open", code: errno) }
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
                failure = RecordingFileError(call: "write", code: errno)
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// - Returns: failure that left it incomplete.
    package func close() -> RecordingFileError? {
        guard descriptor >= 0 else { return failure }
        if fsync(descriptor) != 0, failure == nil { failure = RecordingFileError(call: "fsync", code: errno) }
        Platform.close(descriptor)
        descriptor = -1
        return failure
    }
}

/// Failed call and its errno.
package struct RecordingFileError: Error, Equatable, Sendable {
    package let call: String
    package let code: Int32

    package var isFileThere: Bool { code == EEXIST }
}
