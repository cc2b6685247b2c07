import APNSProvider
import Transport

/// From the outbox to APNs.
final class DispatchPart: ServicePart {
    let name: StaticString = "dispatcher"
    private let dispatcher: Dispatcher

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func start() async throws(ServiceError) {
        let plan = try plan(dispatcher.context.settings)
        do throws(ProviderError) { try await dispatcher.start(plan) } catch { throw .part(error.description) }
    }

    func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        let plan = try plan(ServiceSettings(next.configuration))
        do throws(ProviderError) { try await dispatcher.reload(plan) } catch { throw .part(error.description) }
    }

    func drain(until deadline: MonotonicTime) async {
        await dispatcher.drain(within: max(.zero, deadline - .now()))
    }

    /// Reads the credentials' files.
    private func plan(_ settings: ServiceSettings) throws(ServiceError) -> LanePlan {
        do throws(LanePlan.Faults) {
            return try LanePlan(settings)
        } catch {
            throw .part(error.faults.map(\.description).joined(separator: "\n"))
        }
    }
}
