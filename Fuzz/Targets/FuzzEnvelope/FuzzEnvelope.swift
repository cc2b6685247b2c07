import Envelope
import FuzzSupport

/// The envelope's clear bytes, as bytes and as the text of a payload's `sealed` field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEnvelope(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let pushClass: PushClass = input.selector & 8 == 0 ? .alert : .voip
    switch input.selector & 7 {
    case 0: check(bytes: input.rest)
    case 1: check(field: input.rest)
    case 2: check(field: input.rest.fitted(to: pushClass.sealedCharacterCount, filler: UInt8(ascii: "A")))
    default: check(bytes: input.rest.fitted(to: pushClass.envelopeByteCount, filler: 0))
    }
    return 0
}

private func check(bytes: [UInt8]) {
    do {
        let envelope = try Envelope(bytes: bytes)
        require(envelope.bytes == bytes, "an envelope is all of its bytes")
        require(envelope.pushClass.envelopeByteCount == bytes.count, "its class follows from its length")
    } catch {
        if case .notBase64URL = error { require(false, "bytes are no text") }
        let isLength = PushClass.allCases.contains { $0.envelopeByteCount == bytes.count }
        if case .wrongLength = error { require(!isLength, "an allowed length is not refused") }
    }
}

private func check(field: [UInt8]) {
    do {
        let envelope = try Envelope(sealedField: field)
        require(envelope.sealedField == field, "a field has one spelling")
        require(try Envelope(bytes: envelope.bytes) == envelope, "its bytes are read as the same envelope")
    } catch {
        let isLength = PushClass.allCases.contains { $0.sealedCharacterCount == field.count }
        if case .wrongLength = error { require(!isLength, "an allowed length is not refused") }
    }
}
