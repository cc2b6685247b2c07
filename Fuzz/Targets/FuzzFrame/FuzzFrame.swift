import Envelope
import FuzzSupport

/// The plaintext of an envelope, and the body in it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 3 {
    case 0: check(frame: input.rest)
    case 1: check(frame: input.rest.fitted(to: PushClass.alert.frameByteCount(.x25519), filler: 0))
    default: check(body: input.rest)
    }
    return 0
}

private func check(frame bytes: [UInt8]) {
    do {
        let frame = try Frame(bytes: bytes)
        require(frame.bytes(byteCount: bytes.count) == bytes, "a frame is all of its bytes, its padding zeros")
        require(frame.head == Array(bytes[..<Frame.signedByteCount]), "what is signed is what was read")
        check(body: frame.body)
    } catch {
        let isLongEnough = bytes.count >= Frame.bodyOffset
        if case .tooShort = error { require(!isLongEnough, "a frame with room for its fields is not too short") }
    }
}

private func check(body: [UInt8]) {
    let message: Message
    do {
        message = try Message(sealedBody: body)
    } catch {
        // Any proper refusal is right.
        return
    }
    let texts =
        [message.title, message.subtitle, message.body, message.threadID, message.category, message.senderName]
        + message.attachments.compactMap(\.name)
    require(!texts.contains { $0.utf8.contains(0) }, "no text holds NUL")
    require(texts.allSatisfy { $0.utf8.count <= body.count }, "no text is longer than the body")
    do {
        let written = try message.encoded(byteCountMax: .max, overflow: .refuse)
        require(try Message(sealedBody: written.json) == message, "what was written reads as the same message")
        checkShortening(of: message, byteCount: written.json.count)
    } catch {
        require(false, "what was read can be written, and read again")
    }
}

/// Shortens to half of the length, where the text alone is long enough for that.
private func checkShortening(of message: Message, byteCount: Int) {
    do {
        let shortened = try message.encoded(byteCountMax: byteCount / 2, overflow: .shorten)
        require(shortened.isTruncated, "half of it is not all of it")
        require(shortened.json.count <= byteCount / 2, "what is shortened fits")
        var expected = message
        expected.body = try Message(sealedBody: shortened.json).body
        require(try Message(sealedBody: shortened.json) == expected, "nothing but the text is shortened")
        require(message.body.utf8.starts(with: expected.body.utf8), "what is left is its beginning")
    } catch {
        switch error {
        case .tooLong(let excess): require(excess > 0, "what fits is not refused")
        case .noRoomForAttachments(let byteCount, let roomByteCount):
            require(!message.attachments.isEmpty && byteCount > roomByteCount, "attachments that fit are not refused")
        default: require(false, "too long is all that it can be")
        }
    }
}
