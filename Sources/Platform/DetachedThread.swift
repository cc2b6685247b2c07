/// Thread that nothing joins.
package enum DetachedThread {
    package enum Quality: Sendable {
        case userInitiated
        case utility
    }

    // Handed over to the thread whole; no other reference remains.
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread.
    ///
    /// - Parameter stackByteCount: A system's default is megabytes.
    /// - Returns: False if no thread is left; then nothing runs.
    package static func start(
        stackByteCount: Int,
        quality: Quality = .userInitiated,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        let qualityClass = quality == .utility ? QOS_CLASS_UTILITY : QOS_CLASS_USER_INITIATED
        unsafe pthread_attr_set_qos_class_np(&attributes, qualityClass, 0)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { context in
                let context: UnsafeMutableRawPointer? = unsafe context
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            },
            work.toOpaque()
        )
        guard code != 0 else { return true }
        unsafe work.release()
        return false
    }
}
