package import APNS

/// Server side of one connection of the binary interface: bytes in, decisions out; no I/O, no clock. Total: any input
/// waits, is accepted, or ends the connection.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API", "Legacy Information".
package struct LegacyConnection {
    package enum Step: Equatable, Sendable {
        /// More bytes are needed. Also every step after the end.
        case wait
        case accepted(LegacyNotification, LegacyCommand)
        /// End of the connection, with a packet or without.
        case end(LegacyErrorPacket?)
    }

    /// At most an unfinished notification and the last piece.
    private var buffer: [UInt8] = []
    private var start = 0
    private var isEnded = false
    /// Of the last accepted notification that had one.
    private var lastIdentifier: UInt32?

    package init() {}

    var waitingByteCount: Int { buffer.count - start }

    /// Appends input in any pieces; call `next` until `.wait`.
    package mutating func append(_ bytes: Span<UInt8>) {
        guard !isEnded else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// - Parameter judge: error of a well-formed notification; `nil` for none.
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

    /// Ends the connection for a shutdown; the packet names the last accepted notification.
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
