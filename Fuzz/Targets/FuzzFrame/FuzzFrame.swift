import Envelope
import FuzzSupport

/// The inside of an envelope that opened, and the body in it.
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
    do {
        let message = try Message(sealedBody: body)
        let texts = [message.title, message.subtitle, message.body, message.threadID]
        require(!texts.contains { $0.utf8.contains(0) }, "no text holds NUL")
        require(texts.allSatisfy { $0.utf8.count <= body.count }, "no text is longer than the body")
    } catch {
        // Every refusal is right that is one.
    }
}
