package import PushStore
package import Transport

/// A part of the service, started in a fixed order.
///
/// It lives on the service's loop; its methods may be called from any task.
package protocol ServicePart: AnyObject, Sendable {
    /// One word, for the log.
    var name: StaticString { get }

    /// Starts; a failure leaves nothing behind.
    func start() async throws(ServiceError)

    /// Adopts a new configuration; a failure changes nothing.
    func reload(_ next: LoadedConfiguration) async throws(ServiceError)

    /// Accepts nothing more and finishes its work; at `deadline` it leaves the rest.
    func drain(until deadline: MonotonicTime) async
}

/// Objects that exist before the first part.
package struct ServiceFoundation: Sendable {
    package let context: ServiceContext
    /// The context's, with its health.
    package let store: SQLiteStore
    package let loaded: LoadedConfiguration
}

/// Makes a service's parts in starting order: work before intake.
package typealias ServicePartsFactory = @Sendable (ServiceFoundation) throws(ServiceError) -> [any ServicePart]
