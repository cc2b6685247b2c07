import Testing

@testable import APNS

struct LegacyCodecTests {
    private static let token: [UInt8] = Array(0..<32)
    private static let payload = Array(#"{"aps":{"alert":"hi"}}"#.utf8)

    private static func notification() throws -> LegacyNotification {
        LegacyNotification(
            identifier: 0x0102_0304,
            expiresAt: 0x6592_0080,
            deviceToken: try DeviceToken(bytes: token),
            payload: payload
        )
    }

    private static let identifier: [UInt8] = [1, 2, 3, 4]
    private static let expiry: [UInt8] = [0x65, 0x92, 0x00, 0x80]

    /// Computed with another implementation.
    private static let vectors: [(LegacyCommand, [UInt8])] = [
        (.simple, [0, 0, 0x20] + token + [0, 0x16] + payload),
        (.enhanced, [1] + identifier + expiry + [0, 0x20] + token + [0, 0x16] + payload),
        (
            .frame,
            [2, 0, 0, 0, 0x4E, 1, 0, 0x20] + token + [2, 0, 0x16] + payload + [3, 0, 4] + identifier + [4, 0, 4]
                + expiry + [5, 0, 1, 10]
        ),
    ]

    @Test func `the three layouts are the vectors' bytes, both ways`() throws {
        for ((command, bytes), byteCount) in zip(Self.vectors, [59, 67, 83]) {
            #expect(bytes.count == byteCount)
            var written: [UInt8] = []
            try Self.notification().append(to: &written, as: command)
            #expect(written == bytes)
            var expected = try Self.notification()
            if command == .simple { (expected.identifier, expected.expiresAt) = (0, 0) }
            #expect(
                LegacyNotification.read(bytes.span) == .notification(expected, command, byteCount: byteCount)
            )
            // The rest belongs to the next one.
            let longer = bytes + bytes
            #expect(
                LegacyNotification.read(longer.span) == .notification(expected, command, byteCount: byteCount)
            )
        }
    }

    @Test func `every beginning of a notification is incomplete`() {
        for (_, bytes) in Self.vectors {
            for count in 0..<bytes.count {
                let part = Array(bytes.prefix(count))
                #expect(LegacyNotification.read(part.span) == .incomplete, "\(count)")
            }
        }
    }

    @Test func `the error packet is the vector's bytes, both ways`() {
        let packet = LegacyErrorPacket(status: .invalidToken, identifier: 0x0102_0304)
        #expect(packet.bytes == [8, 8, 1, 2, 3, 4])
        #expect(LegacyErrorPacket(bytes: packet.bytes.span) == packet)
        for bytes in [[], [8, 8, 1, 2, 3], [8, 8, 1, 2, 3, 4, 5], [7, 8, 1, 2, 3, 4]] as [[UInt8]] {
            #expect(LegacyErrorPacket(bytes: bytes.span) == nil)
        }
        #expect(LegacyErrorPacket(bytes: ([8, 77, 0, 0, 0, 0] as [UInt8]).span)?.status.rawValue == 77)
    }

    private static func frame(_ items: [UInt8]) -> [UInt8] { [2, 0, 0, 0, UInt8(items.count)] + items }

    private static let tokenItem: [UInt8] = [1, 0, 2, 7, 7]
    private static let payloadItem: [UInt8] = [2, 0, 2, 0x7B, 0x7D]
    private static let identifierItem: [UInt8] = [3, 0, 4, 0, 0, 0, 9]

    @Test func `items may come in any order, and three of them may be missing`() throws {
        let bytes = Self.frame(Self.payloadItem + Self.tokenItem)
        let expected = LegacyNotification(deviceToken: try DeviceToken(bytes: [7, 7]), payload: [0x7B, 0x7D])
        #expect(LegacyNotification.read(bytes.span) == .notification(expected, .frame, byteCount: bytes.count))
    }

    /// Items of a frame with one fault, its status, and the identifier read by then.
    private static let faults: [(String, [UInt8], LegacyStatus, UInt32)] = {
        let whole: [UInt8] = tokenItem + payloadItem
        return [
            ("no payload", tokenItem + identifierItem, .missingPayload, 9),
            ("no token", payloadItem, .missingDeviceToken, 0),
            ("nothing", [], .missingDeviceToken, 0),
            ("empty token", identifierItem + [1, 0, 0] as [UInt8] + payloadItem, .invalidTokenSize, 9),
            ("empty payload", tokenItem + identifierItem + [2, 0, 0] as [UInt8], .missingPayload, 9),
            ("two tokens", tokenItem + whole, .protocolError, 0),
            ("two payloads", identifierItem + payloadItem + payloadItem, .protocolError, 9),
            ("item 6", whole + [6, 0, 0] as [UInt8], .protocolError, 0),
            ("item 0", whole + [0, 0, 0] as [UInt8], .protocolError, 0),
            ("short identifier", whole + [3, 0, 3, 0, 0, 0] as [UInt8], .protocolError, 0),
            ("priority 7", whole + [5, 0, 1, 7] as [UInt8], .protocolError, 0),
            ("priority 1", whole + [5, 0, 1, 1] as [UInt8], .protocolError, 0),
            ("long priority", whole + [5, 0, 2, 0, 10] as [UInt8], .protocolError, 0),
            ("item beyond the end", whole + [4, 0, 9, 0] as [UInt8], .protocolError, 0),
            ("half an item", whole + [4] as [UInt8], .protocolError, 0),
        ]
    }()

    @Test func `one fault in a frame gets its status, and the identifier if it was read`() {
        for (name, items, status, identifier) in Self.faults {
            let bytes = Self.frame(items)
            let packet = LegacyErrorPacket(status: status, identifier: identifier)
            #expect(LegacyNotification.read(bytes.span) == .mistake(packet), "\(name)")
        }
    }

    @Test func `a fault of the simple layout is told to nobody, of the enhanced one with its identifier`() {
        let noToken: [UInt8] = [0, 0, 2, 0x7B, 0x7D]
        #expect(LegacyNotification.read(([0] + noToken).span) == .mistake(nil))
        #expect(
            LegacyNotification.read(([1] + Self.identifier + Self.expiry + noToken).span)
                == .mistake(LegacyErrorPacket(status: .invalidTokenSize, identifier: 0x0102_0304))
        )
        let tooLong: [UInt8] = [1] + Self.identifier + Self.expiry + [0, 1, 7, 1, 1]
        #expect(
            LegacyNotification.read(tooLong.span)
                == .mistake(LegacyErrorPacket(status: .invalidPayloadSize, identifier: 0x0102_0304))
        )
        #expect(
            LegacyNotification.read(([9] as [UInt8]).span) == .mistake(.init(status: .protocolError, identifier: 0))
        )
        let endless: [UInt8] = [2, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(LegacyNotification.read(endless.span) == .mistake(.init(status: .protocolError, identifier: 0)))
    }

    @Test(arguments: LegacyCommand.allCases)
    func `what a layout cannot carry is not written`(_ command: LegacyCommand) throws {
        let limit = command == .frame ? 2048 : 256
        var notification = try Self.notification()
        var bytes: [UInt8] = []
        notification.payload = [UInt8](repeating: 0x20, count: limit)
        try notification.append(to: &bytes, as: command)
        let byteCount = bytes.count
        notification.payload.append(0x20)
        #expect(throws: LegacyNotificationError.payloadTooLarge(byteCount: limit + 1, byteCountMax: limit)) {
            try notification.append(to: &bytes, as: command)
        }
        notification.payload = []
        #expect(throws: LegacyNotificationError.payloadEmpty) { try notification.append(to: &bytes, as: command) }
        notification = try Self.notification()
        notification.deviceToken = try DeviceToken(bytes: [UInt8](repeating: 1, count: 101))
        #expect(throws: LegacyNotificationError.deviceTokenTooLong(byteCount: 101, byteCountMax: 100)) {
            try notification.append(to: &bytes, as: command)
        }
        notification = try Self.notification()
        notification.priority = .low
        if command == .frame {
            #expect(throws: LegacyNotificationError.priorityTooLow) {
                try notification.append(to: &bytes, as: command)
            }
        }
        #expect(bytes.count == byteCount)
    }

    @Test(arguments: [LegacyCommand.enhanced, .frame])
    func `the probe is refused by its identifier`(_ command: LegacyCommand) {
        var bytes: [UInt8] = []
        LegacyNotification.appendProbe(.max, to: &bytes, as: command)
        #expect(
            LegacyNotification.read(bytes.span)
                == .mistake(LegacyErrorPacket(status: .invalidTokenSize, identifier: .max))
        )
    }

    @Test func `no byte changed or cut off makes the reader trap or read beyond the end`() {
        for (_, bytes) in Self.vectors {
            for offset in bytes.indices {
                for value in [0, 1, 2, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[offset] = value
                    for part in [changed, Array(changed.prefix(offset + 1))] {
                        if case .notification(_, _, let byteCount) = LegacyNotification.read(part.span) {
                            #expect(byteCount <= part.count)
                        }
                    }
                }
            }
        }
    }
}
