/// One entry of the feedback service: the app was not there when a push came.
///
/// **Switched off**: Apple stopped the service with the binary interface, on 2021-03-31.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "The Feedback Service".
public struct FeedbackTuple: Sendable, Equatable {
    /// Seconds since 1970: when APNs found that the app was gone.
    public let time: UInt32
    /// Of which device.
    public let deviceToken: DeviceToken

    /// To be sent, by a simulator.
    public init(time: UInt32, deviceToken: DeviceToken) {
        self.time = time
        self.deviceToken = deviceToken
    }

    /// Whether the token should be deleted: it was not registered after the app was gone.
    ///
    /// - Parameter registeredAt: seconds since 1970.
    /// - Returns: true when the token should be deleted.
    public func provesGone(registeredAt: Int64) -> Bool { Int64(time) >= registeredAt }

    /// Appends time, length and token, big-endian.
    public func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(time)
        bytes.appendBigEndian(UInt16(deviceToken.bytes.count))
        bytes += deviceToken.bytes
    }
}

/// Reads the feedback service's bytes, in whatever pieces they come.
public struct FeedbackReader: Sendable {
    /// Why bytes were no tuples.
    public enum Fault: Error, Equatable {
        /// 0, or more than any device token has.
        case tokenByteCountInvalid(Int)
    }

    private var rest: [UInt8] = []

    /// At the beginning of the list.
    public init() {}

    /// Whether the list may end here: no tuple is half read.
    public var isAtBoundary: Bool { rest.isEmpty }

    /// Reads what came.
    ///
    /// - Parameters:
    ///   - bytes: the next piece.
    ///   - tuples: the whole tuples are appended here.
    /// - Throws: where it is no list any more; nothing after that can be read.
    public mutating func read(_ bytes: Span<UInt8>, into tuples: inout [FeedbackTuple]) throws(Fault) {
        for offset in bytes.indices { rest.append(bytes[offset]) }
        var start = 0
        while let (tuple, byteCount) = try tuple(at: start) {
            tuples.append(tuple)
            start += byteCount
        }
        rest.removeFirst(start)
    }

    private func tuple(at start: Int) throws(Fault) -> (FeedbackTuple, Int)? {
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
