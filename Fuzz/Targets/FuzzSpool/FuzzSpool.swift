import Envelope
import FuzzSupport

@testable import NotificationCore

/// The extension's small files for the app: messages that came while the device was locked, and markers of those
/// without a key; and the two files that app and extension change in place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSpool(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 15 {
    case 0: check(message: input.rest)
    case 1: check(marker: input.rest)
    case 2: check(marker: [0x01] + input.rest)
    case 8: check(badge: input.rest)
    case 9: check(map: input.rest)
    default: check(message: fitted(input.rest, to: input.selector & 4 == 0 ? .alert : .voip))
    }
    return 0
}

private func check(message bytes: [UInt8]) {
    guard let message = SpooledMessage(bytes: bytes) else { return }
    require(message.bytes == bytes, "a spooled message has one spelling")
}

private func check(marker bytes: [UInt8]) {
    guard let marker = ResendMarker(bytes: bytes) else { return }
    require(marker.bytes == bytes, "a marker has one spelling")
}

private func check(badge bytes: [UInt8]) {
    guard let count = BadgeCount.count(bytes: bytes) else { return }
    require(BadgeCount.bytes(of: count) == bytes, "a count has one spelling")
}

/// The key is in the first place.
private func check(map bytes: [UInt8]) {
    guard let key = RequestMap.Key(bytes: Array(bytes.dropFirst(16).prefix(16))) else { return }
    let id = RequestMap.requestID(for: key, in: bytes)
    require(
        id.map { (1...RequestMap.requestByteCountMax).contains($0.utf8.count) } ?? true,
        "an identifier has its bounds"
    )
}

/// Keeps version, arrival and trace, and appends an envelope of its length.
private func fitted(_ bytes: [UInt8], to pushClass: PushClass) -> [UInt8] {
    let headByteCount = bytes.count > 8 && bytes[8] == 0 ? 9 : 25
    let head = ([0x01] + bytes).prefix(1 + headByteCount)
    return head + Array(bytes.dropFirst(headByteCount)).fitted(to: pushClass.envelopeByteCount, filler: 0)
}
