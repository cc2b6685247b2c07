import Platform

/// The main thread's way to wait for what is done elsewhere.
enum Blocking {
    /// - Parameter body: runs on the runtime's threads while the caller's waits.
    /// - Returns: its result.
    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let result = Monitored<Value?>(nil)
        // Its parent is the thread that waits below for its end.
        Task {
            let value = await body()
            result.change { $0 = value }
        }
        return result.wait { $0 }
    }
}
