import APNS
import HTTP
import Platform

/// Fields that APNs reads: slices of the request, not validated.
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
    /// True if a field came twice; `cookie` may, as HTTP/2 splits it (RFC 9113 section 8.2.3).
    private(set) var hasDuplicate = false

    init(_ headers: HeaderBlock) {
        for index in 0..<headers.count {
            // The length leaves at most two names to compare.
            switch headers.nameByteCount(of: index) {
            case 5 where headers.isNamed(HeaderName.path, at: index): Self.set(&path, headers, index, &hasDuplicate)
            case 7 where headers.isNamed(HeaderName.method, at: index): Self.set(&method, headers, index, &hasDuplicate)
            case 7 where headers.isNamed(HeaderName.id, at: index): Self.set(&id, headers, index, &hasDuplicate)
            case 10 where headers.isNamed(HeaderName.topic, at: index): Self.set(&topic, headers, index, &hasDuplicate)
            case 13 where headers.isNamed(HeaderName.priority, at: index):
                Self.set(&priority, headers, index, &hasDuplicate)
            case 13 where headers.isNamed(HeaderName.authorization, at: index):
                Self.set(&authorization, headers, index, &hasDuplicate)
            case 14 where headers.isNamed(HeaderName.pushType, at: index):
                Self.set(&pushType, headers, index, &hasDuplicate)
            case 15 where headers.isNamed(HeaderName.expiration, at: index):
                Self.set(&expiration, headers, index, &hasDuplicate)
            case 16 where headers.isNamed(HeaderName.collapseID, at: index):
                Self.set(&collapseID, headers, index, &hasDuplicate)
            case 16 where headers.isNamed("content-encoding", at: index):
                Self.set(&contentEncoding, headers, index, &hasDuplicate)
            default:
                guard !headers.isNamed("cookie", at: index) else { continue }
                // Others are a handful, limited by the transport.
                for earlier in 0..<index where headers.haveSameName(earlier, index) { hasDuplicate = true }
            }
        }
    }

    private static func set(
        _ known: inout ArraySlice<UInt8>?,
        _ headers: HeaderBlock,
        _ index: Int,
        _ hasDuplicate: inout Bool
    ) {
        if known != nil { hasDuplicate = true }
        known = headers.value(of: index)
    }
}

extension ArraySlice<UInt8> {
    func spells(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in unsafe withUnsafeBytes { unsafe Self.isSame($0, UnsafeRawBufferPointer(text)) } }
    }

    /// Byte equality. `==` and `elementsEqual` took a twentieth of a push's time.
    func isSame(as other: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe Self.isSame(bytes, $0) } }
    }

    @unsafe private static func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return unsafe memcmp(first, second, one.count) == 0
    }
}
