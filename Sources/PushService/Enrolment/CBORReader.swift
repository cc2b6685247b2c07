/// Reader of the CBOR (RFC 8949) that App Attest writes: maps, arrays, texts and byte strings of definite lengths.
///
/// Total and bounded: each step consumes bytes that are there, and no length allocates more than them.
struct CBORReader {
    enum Kind: UInt8 {
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
    }

    private let input: [UInt8]
    private var index = 0

    init(_ input: [UInt8]) { self.input = input }

    /// Consumes the head of an item.
    ///
    /// - Returns: bytes of a string, elements of an array, pairs of a map: no more than the bytes that are left.
    /// - Throws: `.malformed` for another kind, an indefinite length or one of 64 bits.
    mutating func count(_ kind: Kind) throws(AppAttestError) -> Int {
        guard index < input.count, input[index] >> 5 == kind.rawValue else { throw .malformed }
        let short = Int(input[index] & 31)
        index += 1
        var count = short
        if short >= 24 {
            guard short <= 26 else { throw .malformed }
            let byteCount = 1 << (short - 24)
            guard input.count - index >= byteCount else { throw .malformed }
            count = input[index..<index + byteCount].reduce(0) { $0 << 8 | Int($1) }
            index += byteCount
        }
        guard count <= input.count - index else { throw .malformed }
        return count
    }

    mutating func bytes() throws(AppAttestError) -> [UInt8] { try string(.bytes) }

    /// Bytes of a text, which are compared alone.
    mutating func text() throws(AppAttestError) -> [UInt8] { try string(.text) }

    private mutating func string(_ kind: Kind) throws(AppAttestError) -> [UInt8] {
        let count = try count(kind)
        defer { index += count }
        return Array(input[index..<index + count])
    }

    /// - Throws: `.malformed` if bytes are left.
    func end() throws(AppAttestError) {
        guard index == input.count else { throw .malformed }
    }
}
