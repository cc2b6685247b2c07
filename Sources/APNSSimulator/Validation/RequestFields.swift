import APNS
import Platform
import Transport

/// The header fields that APNs looks at, found in one pass. Slices of the request's own bytes; nothing is judged yet.
struct RequestFields {
    private(set) var method: ArraySlice<UInt8>?
    private(set) var path: ArraySlice<UInt8>?
    private(set) var authorization: ArraySlice<UInt8>?
    private(set) var id: ArraySlice<UInt8>?
    private(set) var topic: ArraySlice<UInt8>?
    private(set) var pushType: ArraySlice<UInt8>?
    private(set) var priority: ArraySlice<UInt8>?
    private(set) var expiration: ArraySlice<UInt8>?
    private(set) var collapseID: ArraySlice<UInt8>?
    private(set) var contentEncoding: ArraySlice<UInt8>?
    /// Some field came twice; `cookie` may, because HTTP/2 cuts it in pieces (RFC 9113 section 8.2.3).
    private(set) var hasDuplicate = false

    init(_ headers: HeaderBlock) {
        for index in 0..<headers.count {
            let field = headers[index]
            // The length leaves at most two names to compare with.
            switch field.name.count {
            case 5 where field.name.spells(HeaderName.path): Self.set(&path, field.value, &hasDuplicate)
            case 7 where field.name.spells(HeaderName.method): Self.set(&method, field.value, &hasDuplicate)
            case 7 where field.name.spells(HeaderName.id): Self.set(&id, field.value, &hasDuplicate)
            case 10 where field.name.spells(HeaderName.topic): Self.set(&topic, field.value, &hasDuplicate)
            case 13 where field.name.spells(HeaderName.priority): Self.set(&priority, field.value, &hasDuplicate)
            case 13 where field.name.spells(HeaderName.authorization):
                Self.set(&authorization, field.value, &hasDuplicate)
            case 14 where field.name.spells(HeaderName.pushType): Self.set(&pushType, field.value, &hasDuplicate)
            case 15 where field.name.spells(HeaderName.expiration): Self.set(&expiration, field.value, &hasDuplicate)
            case 16 where field.name.spells(HeaderName.collapseID): Self.set(&collapseID, field.value, &hasDuplicate)
            case 16 where field.name.spells("content-encoding"):
                Self.set(&contentEncoding, field.value, &hasDuplicate)
            default:
                guard !field.name.spells("cookie") else { continue }
                // Clients send a handful of others at most; the transport caps how many there can be.
                for earlier in 0..<index where headers[earlier].name == field.name { hasDuplicate = true }
            }
        }
    }

    private static func set(_ known: inout ArraySlice<UInt8>?, _ value: ArraySlice<UInt8>, _ hasDuplicate: inout Bool) {
        if known != nil { hasDuplicate = true }
        known = value
    }
}

extension ArraySlice<UInt8> {
    func spells(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in unsafe withUnsafeBytes { unsafe Self.isSame($0, UnsafeRawBufferPointer(text)) } }
    }

    /// The same bytes. `==` and `elementsEqual` look at one after the other, which took a twentieth of a push.
    func isSame(as other: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe Self.isSame(bytes, $0) } }
    }

    @unsafe private static func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return unsafe memcmp(first, second, one.count) == 0
    }
}
