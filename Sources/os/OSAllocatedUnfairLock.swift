// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported public import COS

/// Lock in memory of its own, around a state.
///
/// Unchecked: the state is reached under the lock.
///
/// - Source: https://developer.apple.com/documentation/os/osallocatedunfairlock
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    @safe private final class Storage {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        var state: State

        init(_ state: State) {
            self.state = state
            unsafe lock.initialize(to: os_unfair_lock())
        }

        deinit { unsafe lock.deallocate() }
    }

    public enum Ownership: Sendable {
        case owner
        case notOwner
    }

    private let storage: Storage

    public init(uncheckedState initialState: State) {
        storage = Storage(initialState)
    }

    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        unsafe os_unfair_lock_lock(storage.lock)
        defer { unsafe os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    public func withLock<R>(_ body: @Sendable (inout State) throws -> R) rethrows -> R where R: Sendable {
        try withLockUnchecked(body)
    }

    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard unsafe os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { unsafe os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    public func withLockIfAvailable<R>(
        _ body: @Sendable (inout State) throws -> R
    ) rethrows -> R? where R: Sendable {
        try withLockIfAvailableUnchecked(body)
    }

    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: unsafe os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: unsafe os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    public init(initialState: State) {
        self.init(uncheckedState: initialState)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    public init() {
        self.init(uncheckedState: ())
    }

    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { (_: inout Void) in try body() }
    }

    public func withLock<R>(_ body: @Sendable () throws -> R) rethrows -> R where R: Sendable {
        try withLockUnchecked(body)
    }

    @available(*, noasync, message: "Use withLock for scoped locking")
    public func lock() { unsafe os_unfair_lock_lock(storage.lock) }

    @available(*, noasync, message: "Use withLock for scoped locking")
    public func unlock() { unsafe os_unfair_lock_unlock(storage.lock) }

    @available(*, noasync, message: "Use withLock for scoped locking")
    public func lockIfAvailable() -> Bool { unsafe os_unfair_lock_trylock(storage.lock) }
}
