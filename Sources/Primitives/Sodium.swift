private import CSodium

/// libsodium's once-only start: picks the implementations for this processor and opens the random source.
enum Sodium {
    /// Cheap after the first call; every entry that allocates guarded memory or draws random bytes makes it.
    static func initialize() { precondition(isInitialized, "libsodium could not be initialized") }

    private static let isInitialized = sodium_init() >= 0
}
