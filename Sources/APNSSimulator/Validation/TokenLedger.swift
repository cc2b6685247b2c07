import APNS

/// When each key's provider token was last replaced, and by which: on one connection, or on all of them.
package struct TokenLedger {
    /// 20 minutes: who renews more often is told so.
    ///
    /// - Source: "Establishing a token-based connection to APNs".
    static let updateSecondsMin: Int64 = 20 * 60

    private struct Entry {
        var token: [UInt8]
        /// The one before: other connections may have it still.
        var earlierToken: [UInt8]?
        var firstSeenAt: Int64
    }

    /// As many as there are keys: what nobody's key has signed never comes here.
    private var entries: [KeyID: Entry] = [:]

    package init() {}

    /// Takes note of a token that is used.
    ///
    /// - Parameters:
    ///   - token: header, dot, claims; with the signature it would say no more.
    ///   - key: which signed it.
    ///   - remembersEarlier: whether the token before the last may still be used.
    ///   - now: seconds since 1970.
    /// - Returns: whether it may be: it is in use already, the key's first, or late enough.
    mutating func admits(_ token: [UInt8], of key: KeyID, remembersEarlier: Bool, now: Int64) -> Bool {
        guard let entry = entries[key] else {
            entries[key] = Entry(token: token, firstSeenAt: now)
            return true
        }
        if entry.token == token || (remembersEarlier && entry.earlierToken == token) { return true }
        // A clock that was set back must not lock a key out for longer than twenty minutes.
        guard now < entry.firstSeenAt || now - entry.firstSeenAt >= Self.updateSecondsMin else { return false }
        entries[key] = Entry(token: token, earlierToken: entry.token, firstSeenAt: now)
        return true
    }
}
