#if os(Linux)
private import Platform

/// Work on a thread whose stack is kept: a search of it, on another thread, overwrites nothing. Whatever the work
/// called is many frames below the thread's first, which the thread's end does overwrite.
@safe package final class KeptStack {
    private static let byteCount = 1 << 20
    private static let depth = 32

    private let memory: UnsafeMutableRawPointer

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Returns once the work is done. The stack stays until this object goes.
    package init(running body: @escaping @Sendable () -> Void) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let mapped = unsafe mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let memory = unsafe mapped, unsafe memory != MAP_FAILED else { preconditionFailure("no memory") }
        unsafe self.memory = memory
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstack(&attributes, memory, Self.byteCount)
        let work = unsafe Unmanaged.passRetained(Work { Self.descend(Self.depth, body) })
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            },
            work.toOpaque()
        )
        precondition(code == 0, "no thread")
        pthread_join(thread, nil)
    }

    deinit { unsafe munmap(memory, Self.byteCount) }

    @inline(never) private static func descend(_ depth: Int, _ body: () -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { frame in
            unsafe frame.initializeMemory(as: UInt8.self, repeating: 0)
            if depth == 0 { body() } else { descend(depth - 1, body) }
        }
    }
}
#endif
