import Platform
import ServiceParts

/// Push service. Carries sealed notifications to Apple and holds no key that opens one.
@main
enum Main {
    /// Synchronous: this thread waits for signals, which the runtime's own waiting would let through.
    static func main() {
        ProcessSettings.apply("sealedpushd")
        // Not `exit`: libraries would run destructors under threads that close connections. All data is on disk or in
        // the log.
        _exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
