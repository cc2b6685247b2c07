import Envelope
import Opening

/// A message's sender, its rights and the device's clock, with the expected outcome, computed in another way than in
/// the product.
struct Circumstances {
    /// Meaning of the first byte of an input: rights (4 bits), service, stranger, wrong clock, and whether times are
    /// whole numbers of the fuzzer's or some near the clock.
    let selector: UInt8

    static let names = OpeningPolicy.AllowedNames(categories: ["c"], sounds: ["default"], userInfo: ["a", "b"])

    var rights: ContactRights { ContactRights(rawValue: selector & 0x0F) }
    var isService: Bool { selector & 0x10 != 0 }
    var isContact: Bool { selector & 0x20 == 0 }
    var isClockRight: Bool { selector & 0x40 == 0 }
    private var hasFreeTimes: Bool { selector & 0x80 != 0 }

    private static let day: UInt64 = 86_400_000

    /// Milliseconds.
    var now: UInt64 { isClockRight ? 1_800_000_000_000 : OpeningPolicy.buildDate.milliseconds - Self.day }

    /// flags u16 ‖ times ‖ body. Times are sent-at u64 ‖ expires-at u64, or seconds from the clock's bound to sent-at
    /// i16 ‖ sixteen seconds from there to expires-at u16.
    func frame(_ bytes: [UInt8], senderKey: [UInt8]) -> Frame? {
        var reader = ByteReader(bytes[...])
        guard let flags = reader.take(UInt16.self), let times = takeTimes(&reader),
            let body = reader.take(reader.remainingByteCount),
            (Frame.bodyByteCountMin...PushClass.alert.bodyByteCountMax(.x25519)).contains(body.count)
        else { return nil }
        return Frame(
            messageID: Array(bytes.prefix(8)) + [UInt8](repeating: selector, count: 8),
            sentAt: times.sentAt,
            expiresAt: times.expiresAt,
            senderKey: senderKey,
            flags: FrameFlags(rawValue: flags),
            body: body
        )
    }

    private func takeTimes(_ reader: inout ByteReader) -> (sentAt: UInt64, expiresAt: UInt64)? {
        if hasFreeTimes {
            guard let sentAt = reader.take(UInt64.self), let expiresAt = reader.take(UInt64.self) else { return nil }
            return (sentAt, expiresAt)
        }
        guard let age = reader.take(UInt16.self), let lifetime = reader.take(UInt16.self) else { return nil }
        let origin = Int64(isClockRight ? now : OpeningPolicy.buildDate.milliseconds)
        let sentAt = UInt64(origin + Int64(Int16(bitPattern: age)) * 1_000)
        return (sentAt, sentAt + UInt64(lifetime) * 16_000)
    }

    enum Expectation {
        case opened(Message)
        case malformed, unsupported, unverifiedSender, expired, clockUntrusted, notPermitted
    }

    /// docs/protocol.md, section 8, from the frame on.
    func expectation(of frame: Frame) -> Expectation {
        guard frame.flags.rawValue >> 8 == 0 else { return .unsupported }
        guard isContact else { return .unverifiedSender }
        guard frame.expiresAt < 1 << 53, frame.sentAt < frame.expiresAt,
            frame.expiresAt - frame.sentAt <= 7 * Self.day
        else { return .malformed }
        let certain = isClockRight ? now : OpeningPolicy.buildDate.milliseconds
        guard frame.expiresAt > certain else { return .expired }
        guard !isClockRight || frame.sentAt <= now + 300_000 else { return .clockUntrusted }
        let message: Message
        do {
            message = try Message(sealedBody: frame.body)
        } catch {
            return error == .unsupported ? .unsupported : .malformed
        }
        switch message.operation {
        case .badge where !isService: return .notPermitted
        case .call where frame.expiresAt - frame.sentAt > 60_000: return .malformed
        case .call where !isClockRight: return .clockUntrusted
        case .call where !rights.contains(.call): return .notPermitted
        default: return .opened(message)
        }
    }

    /// docs/protocol.md, section 12: the rest of a message.
    func permitted(_ message: Message) -> Message {
        var left = message
        left.badge = isService ? message.badge : nil
        left.senderName = isService ? message.senderName : ""
        left.targetContentID = rights.contains(.links) ? message.targetContentID : ""
        left.category = message.category == "c" ? "c" : ""
        left.userInfo = message.userInfo.filter { $0.key == "a" || $0.key == "b" }
        left.sound = message.sound?.name == "default" ? message.sound : nil
        if !rights.contains(.critical) {
            left.sound?.volume = nil
            if message.level == .critical { left.level = .active }
        }
        if message.level == .timeSensitive, !rights.contains(.timeSensitive) { left.level = .active }
        return left
    }
}
