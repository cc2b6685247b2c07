internal import Envelope
internal import Platform
internal import PostgreSQL
internal import PushStore

extension PostgreSQLStore {
    /// Largest error of a relay's clock. Synchronized clocks differ by milliseconds; calls live for 30 seconds.
    static let clockErrorMax = Duration.seconds(10)

    /// Compares this relay's clock with the database's: what one relay stores, another lets expire, repeats or purges.
    ///
    /// Each renewal of leases begins with it.
    ///
    /// - Throws: `.wrongClock`; until the next comparison nothing is accepted, and the store is not ready.
    func checkClock() async throws(StoreError) {
        guard let clock = settings.clock else { return }
        let before = clock()
        let rows = try await read("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")
        let after = clock()
        let time = try Self.decode { () throws(PostgreSQLError) in try rows.first?.int64(0) ?? 0 }
        let theirs = Timestamp(milliseconds: UInt64(max(0, time)))
        let milliseconds = lead.withLock { lead in
            lead.note(before: before, theirs: theirs, after: after)
            return lead.milliseconds
        }
        // The call's own time is no error.
        let ahead = min(max(theirs, before), after).duration(since: theirs)
        let fault: StoreError? =
            (.zero - Self.clockErrorMax...Self.clockErrorMax).contains(ahead)
            ? nil : .wrongClock(secondsAhead: Int(ahead / .seconds(1)))
        clockFault.withLock { $0 = fault }
        if let fault { throw fault }
        settings.didCompareClocks(milliseconds)
    }
}
