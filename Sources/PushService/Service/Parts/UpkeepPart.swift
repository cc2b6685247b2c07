import PushStore
import Transport

/// What nobody asks for, and the quotas, which are read before the first request and saved after the last.
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
        // A full disk keeps what it had: the day's count of five seconds before.
        try? await quota.save()
    }
}
