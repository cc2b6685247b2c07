import CNGHTTP2
import Networking

/// Encodes header blocks (RFC 7541) as nghttp2 does. Only fields that the last block lacks cost its work.
///
/// Client: byte for byte. Server: without the Huffman codes of a new value in a known place, such as an id, which would
/// shorten it by a fourth and are a fortieth of a small request's work.
///
/// Blocks must be sent in the order in which they are encoded: both ends' tables change with each.
@safe struct HTTP2HeaderEncoder: ~Copyable {
    /// A block's fields with their representations, one after the other.
    private struct Block {
        var fields = HeaderBlock()
        var bytes: [UInt8] = []
        var ends: [(name: Int, value: Int)] = []

        mutating func removeBytes() {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }

        func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1].value }
    }

    private let role: HTTP2Session.Role
    private let deflater: OpaquePointer?
    private var last = Block()
    private var next = Block()
    /// False after a change of the table, which moves its entries: the last block's bytes then say something else.
    private var isLastValid = false
    private var failure: HTTP2Error?
    /// The protocol's first size (RFC 9113 section 6.5.2), and the largest that nghttp2's sessions use.
    private static let tableByteCount = 4096

    init(_ role: HTTP2Session.Role) throws(HTTP2Error) {
        self.role = role
        var deflater: OpaquePointer?
        let code = unsafe nghttp2_hd_deflate_new(&deflater, Self.tableByteCount)
        guard code == 0 else { throw .library(call: "hd_deflate_new", code: code) }
        unsafe self.deflater = deflater
    }

    deinit {
        unsafe nghttp2_hd_deflate_del(deflater)
    }

    /// Follows the peer's SETTINGS_HEADER_TABLE_SIZE. A failure is thrown by `encode`.
    mutating func setTableByteCount(_ byteCount: Int) {
        isLastValid = false
        let code = unsafe nghttp2_hd_deflate_change_table_size(deflater, byteCount)
        if code != 0 { failure = .library(call: "hd_deflate_change_table_size", code: code) }
    }

    /// Makes nghttp2 encode all of the next block.
    mutating func forgetLast() { isLastValid = false }

    /// Encodes the fields that `write` puts in place of those of an earlier block.
    ///
    /// - Returns: one header block.
    mutating func encode(_ write: (inout HeaderBlock) -> Void) throws(HTTP2Error) -> [UInt8] {
        if let failure { throw failure }
        swap(&last, &next)
        next.removeBytes()
        write(&next.fields)
        var isReusable = isLastValid
        var hasChanged = false
        isLastValid = false
        var index = 0
        while index < next.fields.count {
            let sameEnd = isReusable ? last.fields.endOfSame(as: next.fields, from: index) : index
            if sameEnd > index {
                copy(index..<sameEnd)
                index = sameEnd
                continue
            }
            if !isReusable || !encodeValue(index), try deflate(index) {
                hasChanged = true
                isReusable = false
            }
            index += 1
        }
        isLastValid = !hasChanged
        return next.bytes
    }

    private mutating func copy(_ indices: Range<Int>) {
        let start = last.start(of: indices.lowerBound)
        let distance = next.bytes.count - start
        next.bytes += last.bytes[start..<last.ends[indices.upperBound - 1].value]
        for index in indices {
            let (name, value) = last.ends[index]
            next.ends.append((name + distance, value + distance))
        }
    }

    /// Encodes a field outside the table whose name the last block has in this place.
    private mutating func encodeValue(_ index: Int) -> Bool {
        guard last.fields.hasSameName(as: next.fields, at: index) else { return false }
        let start = last.start(of: index)
        let nameByteCount = last.ends[index].name - start
        guard nameByteCount > 0 else { return false }
        next.bytes += last.bytes[start..<start + nameByteCount]
        let nameEnd = next.bytes.count
        guard appendLiteral(next.fields.value(of: index)) else {
            next.bytes.removeLast(nameByteCount)
            return false
        }
        next.ends.append((nameEnd, next.bytes.count))
        return true
    }

    /// - Returns: false, and appends nothing, for what nghttp2 has to encode.
    private mutating func appendLiteral(_ value: ArraySlice<UInt8>) -> Bool {
        guard role == .server else { return HuffmanCode.append(value, to: &next.bytes) }
        // One byte of length (RFC 7541 section 5.2).
        guard value.count < 0x7F else { return false }
        next.bytes.append(UInt8(value.count))
        next.bytes += value
        return true
    }

    /// - Returns: true if the table changes.
    private mutating func deflate(_ index: Int) throws(HTTP2Error) -> Bool {
        let start = next.bytes.count
        let byteCountMax = next.fields.byteCount(of: index) + Self.overheadByteCountMax
        next.bytes.append(contentsOf: repeatElement(0, count: byteCountMax))
        let deflater = unsafe deflater
        let byteCount = unsafe next.fields.lend(index) { field in
            unsafe next.bytes.withUnsafeMutableBufferPointer { bytes in
                let free = unsafe bytes.baseAddress.map { unsafe $0 + start }
                return unsafe nghttp2_hd_deflate_hd(deflater, free, byteCountMax, &field, 1)
            }
        }
        guard byteCount > 0 else { throw .library(call: "hd_deflate_hd", code: Int32(truncatingIfNeeded: byteCount)) }
        next.bytes.removeLast(byteCountMax - byteCount)
        // Else an entry of the table, a literal that enters it, or first a change of its size (RFC 7541 section 6).
        let isOutsideTable = next.bytes[start] < 0x20
        let nameByteCount = isOutsideTable ? Self.nameByteCount(next.bytes[start...]) : 0
        next.ends.append((start + nameByteCount, next.bytes.count))
        return !isOutsideTable && next.bytes[start] < 0x80
    }

    /// Length of the name in a literal outside the table; 0 for one of many bytes.
    private static func nameByteCount(_ literal: ArraySlice<UInt8>) -> Int {
        let (first, second) = (literal[literal.startIndex] & 0x0F, literal[literal.startIndex + 1])
        switch first {
        case 0: return second & 0x7F == 0x7F ? 0 : 2 + Int(second & 0x7F)
        case 0x0F: return second < 0x80 ? 2 : 0
        default: return 1
        }
    }

    /// Two lengths, an index, and changes of the table's size.
    private static let overheadByteCountMax = 64
}
