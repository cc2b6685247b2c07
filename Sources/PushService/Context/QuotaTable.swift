import Envelope
import Networking
package import PushStore

/// Daily quotas, on the loop. Saved every few seconds; a kill loses later use.
package final class QuotaTable: Sendable {
    private final class State {
        var quota = DailyQuota()
        var isSaved = true
    }

    static let noteName = "daily-quota"
    private static let byteCountMax = 1_048_576

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

    // MARK: In a task of the loop's

    /// Restores the quotas; a malformed record counts as none.
    package func load() async throws(StoreError) {
        let bytes = try await context.store.read { reader throws(StoreError) in try reader.note(Self.noteName) }
        guard let quota = bytes.flatMap(Self.decode) else { return }
        await context.loop.run { [state] in state.value.quota = quota }
    }

    /// After an error the next call retries.
    package func save() async throws(StoreError) {
        let quota = await context.loop.run { [state] () -> DailyQuota? in
            guard !state.value.isSaved else { return nil }
            state.value.isSaved = true
            return state.value.quota
        }
        guard let quota else { return }
        do throws(StoreError) {
            try await context.store.write { writer throws(StoreError) in
                try writer.setNote(Self.noteName, to: Self.encode(quota))
            }
        } catch {
            await context.loop.run { [state] in state.value.isSaved = false }
            throw error
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
