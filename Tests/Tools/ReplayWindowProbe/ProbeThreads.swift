import Glibc

package enum ProbeThreads {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on `count` threads, with 0 ..< count, and waits for all of them.
    package static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        var threads: [pthread_t] = []
        for number in 0..<count {
            var thread = pthread_t()
            let work = unsafe Unmanaged.passRetained(Work { body(number) })
            let code = unsafe pthread_create(
                &thread,
                nil,
                { context in
                    if let context = unsafe context {
                        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    }
                    return nil
                },
                work.toOpaque()
            )
            precondition(code == 0, "no thread")
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
