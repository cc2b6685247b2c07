import Glibc

/// Polls for changes without an event: another process's file, or its end.
enum Until {
    /// Only a fault takes this long.
    private static let hangGuard: Duration = .seconds(600)

    static func holds(_ what: String, _ condition: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + hangGuard
        while try !condition() {
            guard .now < deadline else { throw Unexpected("not in ten minutes: \(what)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
