package import APNS

/// One connection of the binary interface, as the server: bytes in, one decision after the other out. Total: whatever the
/// bytes, it waits, or takes a notification, or ends the connection. No I/O, no clock.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API", "Legacy Information".
package struct LegacyConnection {
    package enum Step: Equatable, Sendable {
        /// More must come. Also after the end, for ever.
        case wait
        case accepted(LegacyNotification, LegacyCommand)
        /// The connection is over: with a packet that says why, or cut without a word.
        case end(LegacyErrorPacket?)
    }

    /// At most an unfinished notification and the piece that was appended last.
    private var buffer: [UInt8] = []
    private var start = 0
    private var isEnded = false
    /// Of the last notification that was taken and had one.
    private var lastIdentifier: UInt32?

    package init() {}

    /// How much is kept of what has come.
    var waitingByteCount: Int { buffer.count - start }

    /// Takes what has come, in any pieces; nothing after the end. The caller then asks for steps until it is to wait.
    package mutating func append(_ bytes: Span<UInt8>) {
        guard !isEnded else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// The next decision.
    ///
    /// - Parameter judge: what is wrong with a notification whose form is right; `nil` for nothing.
    /// - Returns: what to do.
    package mutating func next(_ judge: (LegacyNotification, LegacyCommand) -> LegacyStatus?) -> Step {
        guard !isEnded else { return .wait }
        switch LegacyNotification.read(buffer.span.extracting(start...)) {
        case .incomplete: return .wait
        case .mistake(let packet): return end(packet)
        case .notification(let notification, let command, let byteCount):
            if let status = judge(notification, command) {
                let packet = LegacyErrorPacket(status: status, identifier: notification.identifier)
                return end(command.isAnswered ? packet : nil)
            }
            start += byteCount
            if command.isAnswered { lastIdentifier = notification.identifier }
            return .accepted(notification, command)
        }
    }

    /// The server goes down: the last notification that was taken. Without one there is nothing to say, and the client knows
    /// as much from the end of the connection.
    ///
    /// - Returns: `.end`, or `.wait` if it is over already.
    package mutating func shutDown() -> Step {
        guard !isEnded else { return .wait }
        return end(lastIdentifier.map { LegacyErrorPacket(status: .shutdown, identifier: $0) })
    }

    private mutating func end(_ packet: LegacyErrorPacket?) -> Step {
        isEnded = true
        buffer = []
        start = 0
        return .end(packet)
    }
}
