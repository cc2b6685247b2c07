import Platform

package enum Blocking {
    package static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let result = Monitored<Value?>(nil)
        // The thread below waits for its end.
        Task {
            let value = await body()
            result.change { $0 = value }
        }
        return result.wait { $0 }
    }
}
