import PushStore
import Transport

/// Periodic maintenance, and the quotas, which are loaded before the first request and saved after the last.
final class UpkeepPart: ServicePart {
    let name: StaticString = "upkeep"
    private let upkeep: Upkeep
    private let quota: QuotaBook
    private let pulse: StorePulse
    private let context: ServiceContext

    init(_ context: ServiceContext, quota: QuotaBook, bells: DispatchBells, _ pulse: StorePulse) {
        self.context = context
        self.pulse = pulse
        self.quota = quota
        upkeep = Upkeep(context, quota: quota, bells: bells)
    }

    func start() async throws(ServiceError) {
        do throws(StoreError) {
            try await quota.load()
        } catch {
            throw .store(error, path: context.settings.configuration.databaseFile)
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
        // On a full disk the last saved counts stay, at most five seconds old.
        try? await quota.save()
    }
}
