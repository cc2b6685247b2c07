import Envelope
import FuzzSupport
import Keys
import Opening

/// Any content that a sender seals and signs well, under every role, every set of rights and both kinds of clock:
/// opening it ends in the outcome that the protocol names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let circumstances = Circumstances(selector: input.selector)
    guard let frame = circumstances.frame(input.rest, senderKey: correspondents.sender.rawRepresentation) else {
        return -1
    }
    let expected = circumstances.expectation(of: frame)
    let outcome = correspondents.open(correspondents.seal(frame), circumstances)
    switch (outcome, expected) {
    case (.opened(let opened), .opened(let message)):
        require(opened.messageID.rawRepresentation == frame.messageID, "the message is the one that was sealed")
        require(opened.sender == correspondents.sender, "its sender is who signed it")
        require(opened.sentAt.milliseconds == frame.sentAt, "it was sent when its sender says")
        require(opened.isTruncated == frame.flags.contains(.truncated), "it was shortened if its sender says so")
        require(opened.message == circumstances.permitted(message), "its sender had the right to all of it")
    case (.unverifiedSender(let key), .unverifiedSender):
        require(key == correspondents.sender, "the key for a contact request is the one that signed")
    case (.malformed, .malformed), (.unsupported, .unsupported), (.expired, .expired),
        (.clockUntrusted, .clockUntrusted), (.notPermitted, .notPermitted):
        break
    default:
        require(false, "the outcome is the one that the protocol names")
    }
    return 0
}

private let correspondents = Correspondents()
