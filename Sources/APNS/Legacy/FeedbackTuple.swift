/// One entry of the feedback service: a push came for a device without the app.
///
/// **Switched off**: Apple stopped the service with the binary interface, on 2021-03-31.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "The Feedback Service".
public struct FeedbackTuple: Sendable, Equatable {
    /// Time at which APNs found the app gone, in seconds since 1970.
    public let time: UInt32
    /// Device whose app is gone.
    public let deviceToken: DeviceToken

    /// Creates a simulator's tuple.
    public init(time: UInt32, deviceToken: DeviceToken) {
        self.time = time
        self.deviceToken = deviceToken
    }

    /// Tells if the token was not registered again after `time`.
    ///
    /// - Parameter registeredAt: seconds since 1970.
    /// - Returns: true to delete it.
    public func provesGone(registeredAt: Int64) -> Bool { Int64(time) >= registeredAt }

    /// Appends time, length and token, big-endian.
    public func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(time)
        bytes.appendBigEndian(UInt16(deviceToken.bytes.count))
        bytes += deviceToken.bytes
    }
}

/// Incremental parser of the feedback service's bytes.
public struct FeedbackReader: Sendable {
    private var rest: [UInt8] = []

    /// Creates a reader.
    public init() {}

    /// True while no tuple is half read, so that the list may end.
    public var isAtBoundary: Bool { rest.isEmpty }

    /// Appends the next piece's complete tuples.
    ///
    /// - Throws: at a malformed tuple; nothing after it can be read.
    public mutating func read(_ bytes: Span<UInt8>, into tuples: inout [FeedbackTuple]) throws(FeedbackError) {
        for offset in bytes.indices { rest.append(bytes[offset]) }
        var start = 0
        while let (tuple, byteCount) = try tuple(at: start) {
            tuples.append(tuple)
            start += byteCount
        }
        rest.removeFirst(start)
    }

    private func tuple(at start: Int) throws(FeedbackError) -> (FeedbackTuple, Int)? {
        guard rest.count - start >= 6 else { return nil }
        let span = rest.span
        let byteCount = Int(span.bigEndian16(at: start + 4))
        guard (1...DeviceToken.byteCountMax).contains(byteCount) else { throw .tokenByteCountInvalid(byteCount) }
        guard rest.count - start >= 6 + byteCount else { return nil }
        do throws(APNSError) {
            let token = try DeviceToken(bytes: Array(rest[start + 6..<start + 6 + byteCount]))
            return (FeedbackTuple(time: span.bigEndian32(at: start), deviceToken: token), 6 + byteCount)
        } catch {
            throw .tokenByteCountInvalid(byteCount)
        }
    }
}

/// Malformed tuple.
public enum FeedbackError: Error, Equatable {
    /// Length 0, or more than any device token has.
    case tokenByteCountInvalid(Int)
}
