#if os(Linux)
private import Platform

/// Runs file operations without root's rights, even where the tests run as root.
package enum Unprivileged {
    /// `body` is synchronous, because the file system's user id is one thread's.
    package static func run<Result>(_ body: () -> Result) throws -> Result {
        guard geteuid() == 0 else { return body() }
        // Not in Swift's Glibc module. It reports no failure; a second call returns the present id.
        guard let symbol = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: 0), "setfsuid") else { throw Missing() }
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let setUser = unsafe unsafeBitCast(symbol, to: SetUser.self)
        let nobody: uid_t = 65_534
        _ = setUser(nobody)
        defer { _ = setUser(0) }
        guard setUser(nobody) == nobody else { throw Missing() }
        return body()
    }

    private struct Missing: Error {}
}
#endif
