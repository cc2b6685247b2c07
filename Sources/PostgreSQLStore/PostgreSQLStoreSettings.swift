package import Envelope

package struct PostgreSQLStoreSettings: Sendable {
    /// Age at which a last-seen time is rewritten.
    package var sightingStep: Duration = .seconds(3_600)
    /// Bound of a tenant's waiting hooks; beyond it the oldest are dropped.
    package var hookCountMax = 100_000
    /// Time of each call, with its wait for a connection.
    package var callTime: Duration = .seconds(30)
    /// A relay's number in ids is another's so long after its last renewal.
    package var numberTerm: Duration = .seconds(600)

    /// The machine's, which must agree with the database's; nil: it is not compared.
    package var clock: (@Sendable () -> Timestamp)?
    /// Called with the milliseconds by which it leads; `now` of calls should follow the database's.
    package var didCompareClocks: @Sendable (_ lead: Int64) -> Void = { _ in }
    /// False: the store is ready without a synchronous standby too.
    package var requiresStandby = true

    package init() {}
}
