package struct PageQuery: Equatable, Sendable {
    package static let limitMax = 500
    package static let limitDefault = 50
    /// Cursors are opaque; the store detects forged ones.
    package static let cursorByteCountMax = 256

    package let cursor: String?
    package let limit: Int

    /// - Throws: `.badRequest` for everything but one `cursor` of base64url and one `limit` of 1 ... 500.
    package init(_ query: String?) throws(Problem) {
        var cursor: String?
        var limit: Int?
        guard let query, !query.isEmpty else {
            self.cursor = nil
            self.limit = Self.limitDefault
            return
        }
        guard query.utf8.count <= 512 else { throw Self.problem }
        for member in query.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = member.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Self.problem }
            if parts[0] == "cursor", cursor == nil, Self.isCursor(parts[1]) {
                cursor = String(parts[1])
            } else if parts[0] == "limit", limit == nil, let number = Self.number(parts[1]) {
                limit = number
            } else {
                throw Self.problem
            }
        }
        self.cursor = cursor
        self.limit = limit ?? Self.limitDefault
    }

    private static var problem: Problem {
        Problem(
            .badRequest,
            "Use only 'cursor' from the previous page and 'limit' from 1 to \(limitMax), each at most once."
        )
    }

    private static func isCursor(_ text: Substring) -> Bool {
        (1...cursorByteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text),
            (1...limitMax).contains(number)
        else { return nil }
        return number
    }
}
