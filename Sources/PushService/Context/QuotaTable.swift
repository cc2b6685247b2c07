import Envelope
import Networking
package import PushStore

/// Daily quotas, on the loop, summed over all relays of the store every few seconds.
///
/// Until then each relay knows its own use only, so that a tenant may have as many more as the others accept meanwhile.
/// A kill loses the use since; a write whose result is unknown may count it twice.
package final class QuotaTable: Sendable {
    private final class State {
        var quota = DailyQuota()
        /// The sum in the store as last seen, which is in `quota`.
        var seen = DailyQuota()
        /// Its note's checksum.
        var known: UInt64 = 0
        var isSaved = true
    }

    static let noteName = "daily-quota"
    private static let byteCountMax = 1_048_576
    /// Tries while other relays save at the same time; the next save is soon.
    private static let tryCountMax = 4

    private let context: ServiceContext
    private let state: LoopBound<State>

    package init(_ context: ServiceContext) {
        self.context = context
        state = LoopBound(State(), to: context.loop)
    }

    // MARK: On the loop

    /// - Returns: nil on success; otherwise seconds until the next day.
    func take(_ count: Int, of tenant: TenantConfiguration, now: Timestamp) -> Int64? {
        let state = state.value
        state.isSaved = false
        return state.quota.take(
            count,
            of: tenant.id,
            max: tenant.quotaPerDay,
            unixSeconds: Int64(clamping: now.milliseconds / 1_000)
        )
    }

    func room(of tenant: TenantConfiguration, now: Timestamp) -> Int {
        state.value.quota.room(
            of: tenant.id,
            max: tenant.quotaPerDay,
            unixSeconds: Int64(clamping: now.milliseconds / 1_000)
        )
    }

    func giveBack(_ count: Int, of tenant: TenantConfiguration) {
        let state = state.value
        state.isSaved = false
        state.quota.giveBack(count, of: tenant.id)
    }

    private func didRead(_ bytes: [UInt8]) {
        let state = state.value
        let all = bytes.isEmpty ? DailyQuota() : Self.decode(bytes) ?? DailyQuota()
        var sum = all
        sum.add(state.quota, since: state.seen)
        (state.quota, state.seen, state.known) = (sum, all, NoteChange.sum(bytes))
    }

    // MARK: In a task of the loop's

    /// Restores the quotas; a malformed record counts as none.
    package func load() async throws(StoreError) {
        let bytes = try await context.store.notes([Self.noteName])[0]
        await context.loop.run { [self] in didRead(bytes) }
    }

    /// Adds this relay's use to that of all, and takes over theirs. After an error the next call retries.
    package func save() async throws(StoreError) {
        for _ in 0..<Self.tryCountMax {
            let change = await context.loop.run { [state] () -> (note: NoteChange, quota: DailyQuota)? in
                let state = state.value
                guard !state.isSaved else { return nil }
                state.isSaved = true
                let bytes = Self.encode(state.quota)
                return (NoteChange(Self.noteName, known: state.known, bytes: bytes), state.quota)
            }
            guard let change else {
                if !context.shards.isAlone { try await load() }
                return
            }
            do throws(StoreError) {
                let present = try await context.store.replace([change.note])
                let isSaved = await context.loop.run { [self] () -> Bool in
                    guard let present else {
                        (state.value.seen, state.value.known) = (change.quota, NoteChange.sum(change.note.bytes))
                        return true
                    }
                    didRead(present[0])
                    state.value.isSaved = false
                    return false
                }
                if isSaved { return }
            } catch {
                await context.loop.run { [state] in state.value.isSaved = false }
                throw error
            }
        }
    }

    static func encode(_ quota: DailyQuota) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("day", quota.day)
            writer.name("used")
            writer.object { writer in
                let used = quota.used.map { (tenant: $0.key.text, count: $0.value) }
                for row in used.sorted(by: { $0.tenant < $1.tenant }) { writer.member(row.tenant, row.count) }
            }
        }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) -> DailyQuota? {
        let limits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 2, allowsFractions: false)
        guard let value = try? JSONParser.parse(bytes, limits: limits), case .integer(let day)? = value["day"]?.content,
            let members = value["used"]?.members
        else { return nil }
        var used: [TenantID: Int] = [:]
        for member in members {
            guard case .integer(let count) = member.value.content, count >= 0, let tenant = try? TenantID(member.name)
            else { return nil }
            used[tenant] = Int(clamping: count)
        }
        return DailyQuota(day: day, used: used)
    }
}
