import Networking
import PushStore

/// Maintenance, and the quotas: loaded before the first request, saved after the last.
final class UpkeepPart: ServicePart {
    let name: StaticString = "upkeep"
    private let upkeep: Upkeep
    private let quota: QuotaTable
    private let pulse: StorePulse
    private let context: ServiceContext

    init(_ context: ServiceContext, quota: QuotaTable, wakers: DispatchWakers, _ pulse: StorePulse) {
        self.context = context
        self.pulse = pulse
        self.quota = quota
        upkeep = Upkeep(context, quota: quota, wakers: wakers)
    }

    func start() async throws(ServiceError) {
        do throws(StoreError) {
            try await quota.load()
            try await context.loadEndpointBlocks()
        } catch {
            throw .store(error, path: context.settings.configuration.database.path)
        }
        let (upkeep, pulse) = (upkeep, pulse)
        await context.loop.run {
            upkeep.start()
            pulse.start()
        }
    }

    func reload(_ next: LoadedConfiguration) {}

    func drain(until deadline: MonotonicTime) async {
        let (upkeep, pulse) = (upkeep, pulse)
        await context.loop.run {
            upkeep.stop()
            pulse.stop()
        }
        // A full disk keeps the last saved counts, at most five seconds old.
        try? await quota.save()
        _ = try? await context.saveEndpointCounts(isLast: true)
    }
}
