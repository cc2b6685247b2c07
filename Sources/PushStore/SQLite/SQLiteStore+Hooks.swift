package import Envelope

extension SQLiteStore: HookQueue {
    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] { throw .closed }

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] { [] }

    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) {}

    package func nextHook() async throws(StoreError) -> Timestamp? { nil }
}
