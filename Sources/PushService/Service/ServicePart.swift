package import PushStore
package import Transport

/// One of the things that a service is made of, in the order in which they begin.
///
/// Each lives on the service's loop; its calls may come from any task.
package protocol ServicePart: AnyObject, Sendable {
    /// One word, for the log.
    var name: StaticString { get }

    /// Begins, or leaves nothing behind.
    func start() async throws(ServiceError)

    /// Works by a new configuration from now on, or throws and goes on as before.
    func reload(_ next: LoadedConfiguration) async throws(ServiceError)

    /// Takes nothing more, ends what it has begun, and returns; at `deadline` what is not ended is left as it is.
    func drain(until deadline: MonotonicTime) async
}

/// What there is before the first part.
package struct ServiceFoundation: Sendable {
    package let context: ServiceContext
    /// The context's, with its health.
    package let store: SQLiteStore
    package let loaded: LoadedConfiguration
}

/// Makes a service's parts, the first to start first: who works before who takes work in.
package typealias ServicePartsFactory = @Sendable (ServiceFoundation) throws(ServiceError) -> [any ServicePart]
