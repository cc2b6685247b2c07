internal import Envelope
package import Primitives

/// Tenants, from a text file of lines `NAME HASH BYTES UPLOADS`, with hashes of tokens only.
package struct TenantList: Sendable {
    private struct Row {
        let tokenHash: [UInt8]
        let tenant: Tenant
    }

    /// Invalid line's number, without its contents.
    package struct LineError: Error, Equatable {
        package let line: Int
    }

    private let rows: [Row]

    package var count: Int { rows.count }

    /// - Parameter text: lines; empty ones and those that begin with `#` are ignored.
    /// - Throws: the first line without four valid words, or with a name or token used before.
    package init(_ text: String) throws(LineError) {
        var rows: [Row] = []
        var names: Set<Substring> = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            guard words.count == 4, let hash = Base64URL.decode(words[1].utf8), hash.count == SHA256.byteCount,
                let byteCountMax = UInt64(words[2]), let uploadCountMax = Int(words[3]), uploadCountMax > 0,
                names.insert(name).inserted, !rows.contains(where: { $0.tokenHash == hash })
            else { throw LineError(line: index + 1) }
            let tenant = Tenant(name: String(name), byteCountMax: byteCountMax, uploadCountMax: uploadCountMax)
            rows.append(Row(tokenHash: hash, tenant: tenant))
        }
        self.rows = rows
    }

    /// Finds a token's tenant in constant time: compares all rows, each to its end.
    package func tenant(token: String) -> Tenant? {
        let hash = Self.hash(token: token)
        var found: Tenant?
        for row in rows {
            if SecretBytes.areEqual(row.tokenHash, hash) { found = row.tenant }
        }
        return found
    }

    /// Makes a token.
    ///
    /// - Returns: token, 43 characters, and its hash for the list.
    package static func makeToken(random: inout some RandomSource) -> (token: String, hash: String) {
        let token = Base64URL.string(random.bytes(count: 32))
        return (token, Base64URL.string(hash(token: token)))
    }

    private static func hash(token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
