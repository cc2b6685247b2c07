import APNS

/// Latest token of each key, for one connection or all.
package struct TokenLedger {
    /// 20 minutes: more frequent renewals are refused.
    ///
    /// - Source: "Establishing a token-based connection to APNs".
    static let updateSecondsMin: Int64 = 20 * 60

    private struct Entry {
        var token: [UInt8]
        /// Previous token, which other connections may still use.
        var earlierToken: [UInt8]?
        var firstSeenAt: Int64
    }

    /// Bounded by the keys: only verified tokens are added.
    private var entries: [KeyID: Entry] = [:]

    package init() {}

    /// - Parameters:
    ///   - token: header, dot, claims.
    ///   - remembersEarlier: the previous token stays valid.
    ///   - now: seconds since 1970.
    /// - Returns: false for an early renewal.
    mutating func admits(_ token: [UInt8], of key: KeyID, remembersEarlier: Bool, now: Int64) -> Bool {
        guard let entry = entries[key] else {
            entries[key] = Entry(token: token, firstSeenAt: now)
            return true
        }
        if entry.token == token || (remembersEarlier && entry.earlierToken == token) { return true }
        // A clock set back must not lock out a key for more than 20 minutes.
        guard now < entry.firstSeenAt || now - entry.firstSeenAt >= Self.updateSecondsMin else { return false }
        entries[key] = Entry(token: token, earlierToken: entry.token, firstSeenAt: now)
        return true
    }
}
