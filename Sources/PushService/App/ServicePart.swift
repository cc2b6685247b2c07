package import Networking
package import PushStore

/// Part of the service. Lives on the loop; any task may call it.
package protocol ServicePart: AnyObject, Sendable {
    /// One word, for the log.
    var name: StaticString { get }

    /// Leaves nothing behind on failure.
    func start() async throws(ServiceError)

    /// Changes nothing on failure.
    func reload(_ next: LoadedConfiguration) async throws(ServiceError)

    /// Works until `deadline`, and leaves the rest.
    func drain(until deadline: MonotonicTime) async
}

package struct ServiceFoundation: Sendable {
    package let context: ServiceContext
    package let store: any RelayStore
    package let terms: ShardKeeper.Terms
    package let loaded: LoadedConfiguration
}

/// Makes parts in starting order: work before intake.
package typealias ServicePartsFactory = @Sendable (ServiceFoundation) throws(ServiceError) -> [any ServicePart]
