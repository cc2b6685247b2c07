extension LegacyNotification {
    /// Result of one read.
    public enum Step: Sendable, Equatable {
        case incomplete
        case notification(LegacyNotification, LegacyCommand, byteCount: Int)
        /// Protocol error. The connection is closed, with `.simple` without a packet.
        case mistake(LegacyErrorPacket?)
    }

    /// Longest accepted frame: twice the size of all five items at their longest.
    static let frameByteCountMax = 2 * (5 * 3 + deviceTokenByteCountMax + 2048 + 4 + 4 + 1)

    /// Reads one notification, as the server. Total: every byte sequence has a result.
    ///
    /// - Returns: one step; the caller drops the bytes it took, and reads again.
    public static func read(_ bytes: Span<UInt8>) -> Step {
        guard !bytes.isEmpty else { return .incomplete }
        switch LegacyCommand(rawValue: bytes[0]) {
        case .simple: return readFields(bytes, .simple, at: 1, identifier: 0, expiresAt: 0)
        case .enhanced:
            guard bytes.count >= 9 else { return .incomplete }
            return readFields(
                bytes,
                .enhanced,
                at: 9,
                identifier: bytes.bigEndian32(at: 1),
                expiresAt: bytes.bigEndian32(at: 5)
            )
        case .frame: return readFrame(bytes)
        case nil: return .mistake(LegacyErrorPacket(status: .protocolError, identifier: 0))
        }
    }

    private static func readFields(
        _ bytes: Span<UInt8>,
        _ command: LegacyCommand,
        at start: Int,
        identifier: UInt32,
        expiresAt: UInt32
    ) -> Step {
        func mistake(_ status: LegacyStatus) -> Step {
            .mistake(command.isAnswered ? LegacyErrorPacket(status: status, identifier: identifier) : nil)
        }
        guard bytes.count >= start + 2 else { return .incomplete }
        let tokenByteCount = Int(bytes.bigEndian16(at: start))
        guard (1...deviceTokenByteCountMax).contains(tokenByteCount) else { return mistake(.invalidTokenSize) }
        let payloadStart = start + 2 + tokenByteCount + 2
        guard bytes.count >= payloadStart else { return .incomplete }
        let payloadByteCount = Int(bytes.bigEndian16(at: payloadStart - 2))
        guard payloadByteCount > 0 else { return mistake(.missingPayload) }
        guard payloadByteCount <= command.payloadByteCountMax else { return mistake(.invalidPayloadSize) }
        let end = payloadStart + payloadByteCount
        guard bytes.count >= end else { return .incomplete }
        let token = Array(copying: bytes.extracting(start + 2..<start + 2 + tokenByteCount))
        do throws(APNSError) {
            let notification = LegacyNotification(
                identifier: identifier,
                expiresAt: expiresAt,
                deviceToken: try DeviceToken(bytes: token),
                payload: Array(copying: bytes.extracting(payloadStart..<end))
            )
            return .notification(notification, command, byteCount: end)
        } catch {
            return mistake(.invalidTokenSize)
        }
    }

    private static func readFrame(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count >= 5 else { return .incomplete }
        let byteCount = Int(bytes.bigEndian32(at: 1))
        guard byteCount <= frameByteCountMax else {
            return .mistake(LegacyErrorPacket(status: .protocolError, identifier: 0))
        }
        guard bytes.count >= 5 + byteCount else { return .incomplete }
        var items = LegacyFrameItems()
        if let status = items.read(bytes.extracting(5..<5 + byteCount)) {
            return .mistake(LegacyErrorPacket(status: status, identifier: items.identifier ?? 0))
        }
        switch items.notification {
        case .success(let notification): return .notification(notification, .frame, byteCount: 5 + byteCount)
        case .failure(let refusal):
            return .mistake(LegacyErrorPacket(status: refusal.status, identifier: items.identifier ?? 0))
        }
    }
}

/// Items of one frame, each at most once and in any order.
private struct LegacyFrameItems {
    struct Rejection: Error { let status: LegacyStatus }

    private var token: [UInt8]?
    private var payload: [UInt8]?
    private(set) var identifier: UInt32?
    private var expiresAt: UInt32?
    private var priority: Priority?

    /// - Returns: status of a malformed frame.
    mutating func read(_ bytes: Span<UInt8>) -> LegacyStatus? {
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 3 else { return .protocolError }
            let item = LegacyItem(rawValue: bytes[offset])
            let start = offset + 3
            let byteCount = Int(bytes.bigEndian16(at: offset + 1))
            guard bytes.count - start >= byteCount else { return .protocolError }
            guard let item, take(item, bytes.extracting(start..<start + byteCount)) else { return .protocolError }
            offset = start + byteCount
        }
        return nil
    }

    /// - Returns: false for a repeated item, or an impossible length or priority.
    private mutating func take(_ item: LegacyItem, _ value: Span<UInt8>) -> Bool {
        switch item {
        case .deviceToken:
            guard token == nil else { return false }
            token = Array(copying: value)
        case .payload:
            guard payload == nil else { return false }
            payload = Array(copying: value)
        case .identifier:
            guard identifier == nil, value.count == 4 else { return false }
            identifier = value.bigEndian32(at: 0)
        case .expiration:
            guard expiresAt == nil, value.count == 4 else { return false }
            expiresAt = value.bigEndian32(at: 0)
        case .priority:
            guard priority == nil, value.count == 1, let given = Priority(rawValue: value[0]), given != .low else {
                return false
            }
            priority = given
        }
        return true
    }

    var notification: Result<LegacyNotification, Rejection> {
        guard let token else { return .failure(Rejection(status: .missingDeviceToken)) }
        guard let payload else { return .failure(Rejection(status: .missingPayload)) }
        guard token.count <= LegacyNotification.deviceTokenByteCountMax else {
            return .failure(Rejection(status: .invalidTokenSize))
        }
        guard !payload.isEmpty else { return .failure(Rejection(status: .missingPayload)) }
        guard payload.count <= LegacyCommand.frame.payloadByteCountMax else {
            return .failure(Rejection(status: .invalidPayloadSize))
        }
        do throws(APNSError) {
            return .success(
                LegacyNotification(
                    identifier: identifier ?? 0,
                    expiresAt: expiresAt ?? 0,
                    priority: priority ?? .immediate,
                    deviceToken: try DeviceToken(bytes: token),
                    payload: payload
                )
            )
        } catch {
            return .failure(Rejection(status: .invalidTokenSize))
        }
    }
}
