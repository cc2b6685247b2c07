import Envelope
import FuzzSupport

/// base64url: one text for each byte string, and no other text decodes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBase64URL(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    if let decoded = Base64URL.decode(input.bytes) {
        require(Base64URL.encode(decoded) == input.bytes, "what decodes is the one text of its bytes")
        require(decoded.count == input.bytes.count * 6 / 8, "its length follows from the text's")
    }
    let isOfAlphabet = input.bytes.allSatisfy { Base64URL.value(of: $0) != nil }
    require(Base64URL.isOfAlphabet(input.bytes) == isOfAlphabet, "a text is of the alphabet, or some of it is not")
    let text = String(decoding: input.bytes, as: UTF8.self)
    require(Base64URL.decode(text: text) == Base64URL.decode(Array(text.utf8)[...]), "a text is its bytes")
    let encoded = Base64URL.encode(input.bytes)
    require(Base64URL.encode(input.bytes[...]) == encoded, "a slice is its bytes")
    require(Base64URL.string(input.bytes).utf8.elementsEqual(encoded), "a string is its text")
    require(Base64URL.decode(encoded) == input.bytes, "what was encoded decodes to the same bytes")
    require(encoded.count == (input.bytes.count * 8 + 5) / 6, "nothing is padded")
    return 0
}
