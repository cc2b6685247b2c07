/// Xcode's binary property list of strings. A reference outside the file refuses all; other values are skipped.
///
/// - Source: swift-corelibs-foundation, CoreFoundation/Parsing.subproj/CFBinaryPList.c: objects, their offsets, a
///   trailer of 32 bytes.
struct BinaryStrings {
    private static let magic = Array("bplist00".utf8)
    private static let trailerByteCount = 32
    /// Entries may share a string, so the total needs a bound.
    private static let textByteCountMax = 4 * StringsTable.byteCountMax

    private let bytes: [UInt8]
    private let offsetByteCount: Int
    private let referenceByteCount: Int
    private let objectCount: Int
    private let topObject: Int
    private let offsetTable: Int

    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    init(_ bytes: [UInt8]) throws(StringsError) {
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerByteCount
        guard trailer >= Self.magic.count,
            let count = Self.number(bytes, at: trailer + 8, byteCount: 8),
            let top = Self.number(bytes, at: trailer + 16, byteCount: 8),
            let table = Self.number(bytes, at: trailer + 24, byteCount: 8)
        else { throw .notADictionary }
        offsetByteCount = Int(bytes[trailer + 6])
        referenceByteCount = Int(bytes[trailer + 7])
        (objectCount, topObject, offsetTable) = (count, top, table)
        guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount), table <= trailer,
            count <= (trailer - table) / offsetByteCount
        else { throw .notADictionary }
    }

    func texts(where keep: (String) -> Bool) throws(StringsError) -> [String: String] {
        guard let start = offset(of: topObject), let head = head(at: start), head.kind == 0xD,
            head.count <= (bytes.count - head.end) / (2 * referenceByteCount)
        else { throw .notADictionary }
        var texts: [String: String] = [:]
        var byteCount = 0
        for index in 0..<head.count {
            guard let key = value(referredToAt: head.end + index * referenceByteCount),
                let value = value(referredToAt: head.end + (head.count + index) * referenceByteCount)
            else { throw .notADictionary }
            guard case .text(let key) = key, case .text(let text) = value else { continue }
            byteCount += key.utf8.count + text.utf8.count
            guard byteCount <= Self.textByteCountMax else { throw .tooLong(byteCountMax: Self.textByteCountMax) }
            if keep(key) { texts[key] = text }
        }
        return texts
    }

    private enum Value {
        case text(String)
        /// Such as a number or plural forms.
        case other
    }

    /// Nil for a reference outside the file.
    private func value(referredToAt position: Int) -> Value? {
        guard let object = Self.number(bytes, at: position, byteCount: referenceByteCount),
            let start = offset(of: object), let head = head(at: start)
        else { return nil }
        let left = bytes.count - head.end
        switch head.kind {
        case 0x5:
            guard head.count <= left else { return nil }
            return .text(String(decoding: bytes[head.end..<head.end + head.count], as: UTF8.self))
        case 0x6:
            guard head.count <= left / 2 else { return nil }
            let units = (0..<head.count).lazy.map { index in
                UInt16(bytes[head.end + 2 * index]) << 8 | UInt16(bytes[head.end + 2 * index + 1])
            }
            return .text(String(decoding: units, as: UTF16.self))
        default: return .other
        }
    }

    /// Kind and count; a count of 15 or more is a number after the first byte.
    private func head(at offset: Int) -> (kind: UInt8, count: Int, end: Int)? {
        guard offset < offsetTable else { return nil }
        let kind = bytes[offset] >> 4
        let count = Int(bytes[offset] & 0x0F)
        guard count == 0x0F else { return (kind, count, offset + 1) }
        guard offset + 1 < offsetTable, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0x0F <= 3 else { return nil }
        let byteCount = 1 << Int(bytes[offset + 1] & 0x0F)
        guard let long = Self.number(bytes, at: offset + 2, byteCount: byteCount) else { return nil }
        return (kind, long, offset + 2 + byteCount)
    }

    private func offset(of object: Int) -> Int? {
        guard object < objectCount else { return nil }
        return Self.number(bytes, at: offsetTable + object * offsetByteCount, byteCount: offsetByteCount)
    }

    /// Nil outside the file, and beyond 32 bits.
    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, byteCount <= bytes.count, offset <= bytes.count - byteCount else { return nil }
        var number: UInt64 = 0
        for byte in bytes[offset..<offset + byteCount] { number = number << 8 | UInt64(byte) }
        return number <= UInt64(UInt32.max) ? Int(number) : nil
    }
}
