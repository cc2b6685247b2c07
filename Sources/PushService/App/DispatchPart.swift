import APNSProvider
import Networking

final class DispatchPart: ServicePart {
    let name: StaticString = "dispatcher"
    private let dispatcher: Dispatcher
    private let first: LoadedConfiguration

    init(_ dispatcher: Dispatcher, _ loaded: LoadedConfiguration) {
        self.dispatcher = dispatcher
        first = loaded
    }

    func start() async throws(ServiceError) {
        do throws(ProviderError) { try await dispatcher.start(first.files.lanes) } catch {
            throw .part(error.description)
        }
    }

    func reload(_ next: LoadedConfiguration) async throws(ServiceError) {
        do throws(ProviderError) { try await dispatcher.reload(next.files.lanes) } catch {
            throw .part(error.description)
        }
    }

    func drain(until deadline: MonotonicTime) async {
        await dispatcher.drain(within: max(.zero, deadline - .now()))
    }
}
