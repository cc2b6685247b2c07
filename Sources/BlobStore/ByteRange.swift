/// Range asked for by a `Range` field (RFC 9110 section 14.1.2).
enum ByteRange: Equatable {
    /// No range, several, or an invalid field, which counts as none.
    case whole
    case part(offset: UInt64, byteCount: UInt64)
    case unsatisfiable

    init(_ field: String?, of byteCount: UInt64) {
        self = .whole
        guard let field, field.utf8.starts(with: "bytes=".utf8) else { return }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        switch (bounds[0].isEmpty, bounds[1].isEmpty) {
        case (false, _):
            guard let first = Self.number(bounds[0]) else { return }
            guard let last = bounds[1].isEmpty ? .max : Self.number(bounds[1]), last >= first else { return }
            guard first < byteCount else {
                self = .unsatisfiable
                return
            }
            self = .part(offset: first, byteCount: min(last, byteCount - 1) - first + 1)
        case (true, false):
            guard let suffix = Self.number(bounds[1]) else { return }
            guard suffix > 0, byteCount > 0 else {
                self = .unsatisfiable
                return
            }
            self = .part(offset: byteCount - min(suffix, byteCount), byteCount: min(suffix, byteCount))
        case (true, true):
            return
        }
    }

    /// Parses digits; clamps numbers beyond 64 bits.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text) ?? .max
    }
}
