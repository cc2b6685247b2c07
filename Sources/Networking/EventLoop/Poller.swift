import CLinux
import Glibc

/// Watched descriptors and their handlers: one epoll instance. Only `wake()` may be called off the loop's thread.
@safe final class Poller {
    private struct Watched {
        let handler: any ReadinessHandler
        let generation: UInt32
    }

    private let epoll: Int32
    private let wakeup: Int32
    private var watched: [Watched?] = []
    private var generation: UInt32 = 0
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    init() throws(TransportError) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
        let wakeup = clinux_eventfd()
        guard wakeup >= 0 else {
            let code = errno
            close(epoll)
            throw .system(call: "eventfd", code: code)
        }
        self.epoll = epoll
        self.wakeup = wakeup
        // Data 0 is generation 0, which no registration has.
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
            throw .system(call: "epoll_ctl", code: errno)
        }
    }

    deinit {
        close(epoll)
        close(wakeup)
    }

    // MARK: Watching

    /// Keeps `handler` alive until `unwatch`, which must precede the descriptor's close.
    func watch(
        _ descriptor: Int32,
        for readiness: Readiness,
        handler: any ReadinessHandler
    ) throws(TransportError) -> EventLoop.Watch {
        generation = generation == .max ? 1 : generation + 1
        let watch = EventLoop.Watch(descriptor: descriptor, generation: generation)
        try control(EPOLL_CTL_ADD, watch, readiness)
        while watched.count <= Int(descriptor) {
            watched.append(nil)
        }
        watched[Int(descriptor)] = Watched(handler: handler, generation: generation)
        return watch
    }

    func update(_ watch: EventLoop.Watch, for readiness: Readiness) throws(TransportError) {
        try control(EPOLL_CTL_MOD, watch, readiness)
    }

    func unwatch(_ watch: EventLoop.Watch) {
        guard watched[Int(watch.descriptor)]?.generation == watch.generation else { return }
        watched[Int(watch.descriptor)] = nil
        var event = unsafe epoll_event()
        // Fails only for an unwatched descriptor.
        unsafe epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, &event)
    }

    private func control(_ operation: Int32, _ watch: EventLoop.Watch, _ readiness: Readiness) throws(TransportError) {
        var events: UInt32 = 0
        if readiness.contains(.read) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if readiness.contains(.write) { events |= EPOLLOUT.rawValue }
        let data = UInt64(watch.generation) << 32 | UInt64(UInt32(bitPattern: watch.descriptor))
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: data))
        guard unsafe epoll_ctl(epoll, operation, watch.descriptor, &event) == 0 else {
            throw .system(call: "epoll_ctl", code: errno)
        }
    }

    func stop() {
        for registration in watched {
            registration?.handler.handleLoopStop()
        }
    }

    // MARK: Waiting

    /// Ends the current or the next `wait`. From any thread.
    func wake() {
        // Fails only with a full counter; the loop is awake then.
        clinux_eventfd_signal(wakeup)
    }

    /// Returns the number of events; -1 milliseconds is for ever.
    func wait(milliseconds: Int32) -> Int {
        let count: Int32 = unsafe events.withUnsafeMutableBufferPointer { events in
            guard let first = events.baseAddress else { return 0 }
            return unsafe epoll_wait(epoll, first, Int32(events.count), milliseconds)
        }
        // EINTR is an open epoll's only failure; the next turn waits again.
        return max(0, Int(count))
    }

    func dispatch(_ eventCount: Int) {
        for index in 0..<eventCount {
            unsafe dispatch(events[index])
        }
    }

    private func dispatch(_ event: epoll_event) {
        let data = unsafe event.data.u64
        let descriptor = Int(data & 0xFFFF_FFFF)
        let generation = UInt32(truncatingIfNeeded: data >> 32)
        guard generation != 0 else {
            clinux_eventfd_clear(wakeup)
            return
        }
        // An earlier event may have closed the descriptor, and its number be in use again.
        guard descriptor < watched.count, let current = watched[descriptor], current.generation == generation else {
            return
        }
        var readiness: Readiness = []
        let ready = unsafe event.events
        let trouble = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if ready & trouble != 0 { readiness.insert(.over) }
        if ready & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | trouble) != 0 { readiness.insert(.read) }
        if ready & (EPOLLOUT.rawValue | trouble) != 0 { readiness.insert(.write) }
        current.handler.handleReadiness(readiness)
    }
}
