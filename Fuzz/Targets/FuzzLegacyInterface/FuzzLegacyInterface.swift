import FuzzSupport

@testable import APNS

/// The binary interface and the feedback service, both ends: a simulator's input from a back end, and a back end's from
/// a server. The second byte is the length of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyInterface(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard input.bytes.count >= 2 else { return 0 }
    let rest = Array(input.bytes.dropFirst(2))
    switch input.selector & 3 {
    case 0, 1: checkNotifications(rest)
    case 2: checkFeedback(rest, pieceByteCount: max(1, Int(input.bytes[1])))
    default: checkErrorPacket(rest)
    }
    return 0
}

// MARK: Notifications

private func checkNotifications(_ bytes: [UInt8]) {
    var rest = bytes
    while true {
        let step = LegacyNotification.read(rest.span)
        checkPrefixes(of: rest, step)
        guard case .notification(let notification, let command, let byteCount) = step else { return check(step) }
        require((1...rest.count).contains(byteCount), "a notification takes some of what there is")
        check(notification, command, Array(rest.prefix(byteCount)))
        rest.removeFirst(byteCount)
    }
}

/// Checks that a result does not change when more bytes come.
private func checkPrefixes(of bytes: [UInt8], _ step: LegacyNotification.Step) {
    for count in [0, bytes.count / 4, bytes.count / 2, bytes.count - 1] where count >= 0 {
        let earlier = LegacyNotification.read(bytes.span.extracting(first: count))
        require(earlier == .incomplete || earlier == step, "a verdict stands, whatever comes after it")
    }
}

private func check(_ step: LegacyNotification.Step) {
    guard case .mistake(let packet?) = step else { return }
    require(packet.bytes.count == LegacyErrorPacket.byteCount, "a mistake is told in one packet")
    require(LegacyErrorPacket(bytes: packet.bytes.span) == packet, "a packet that is written reads as the same")
}

private func check(_ notification: LegacyNotification, _ command: LegacyCommand, _ bytes: [UInt8]) {
    var written: [UInt8] = []
    do throws(LegacyNotificationError) {
        try notification.append(to: &written, as: command)
    } catch {
        return require(false, "what was read can be written")
    }
    let again = LegacyNotification.read(written.span)
    require(
        again == .notification(notification, command, byteCount: written.count),
        "a notification that is written reads as the same"
    )
    // A frame's items may come in any order, and some may be left out.
    require(command == .frame || written == bytes, "a notification without items has one spelling")
}

// MARK: Servers

private func checkFeedback(_ bytes: [UInt8], pieceByteCount: Int) {
    let whole = Feedback(bytes, pieceByteCount: max(1, bytes.count))
    let split = Feedback(bytes, pieceByteCount: pieceByteCount)
    require(split.tuples == whole.tuples || whole.fault != nil, "the same tuples, whatever the pieces")
    require(split.fault == whole.fault && split.isAtBoundary == whole.isAtBoundary, "the same end, whatever the pieces")
    require(split.tuples.starts(with: whole.tuples), "what was read before a fault is the list's beginning")
    var written: [UInt8] = []
    for tuple in split.tuples { tuple.append(to: &written) }
    require(bytes.starts(with: written), "a tuple has one spelling")
    require(!whole.isAtBoundary || whole.fault != nil || written == bytes, "a list that has ended is all of its bytes")
}

private struct Feedback {
    private(set) var tuples: [FeedbackTuple] = []
    private(set) var fault: FeedbackError?
    private(set) var isAtBoundary = true

    init(_ bytes: [UInt8], pieceByteCount: Int) {
        var reader = FeedbackReader()
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) where fault == nil {
            let piece = Array(bytes[start..<min(start + pieceByteCount, bytes.count)])
            do throws(FeedbackError) { try reader.read(piece.span, into: &tuples) } catch { fault = error }
        }
        isAtBoundary = fault == nil && reader.isAtBoundary
    }
}

private func checkErrorPacket(_ bytes: [UInt8]) {
    let fitted = bytes.fitted(to: LegacyErrorPacket.byteCount, filler: 0)
    for candidate in [bytes, fitted] {
        guard let packet = LegacyErrorPacket(bytes: candidate.span) else { continue }
        require(packet.bytes == candidate, "a packet has one spelling")
    }
}
