import Platform
import ServiceParts

/// `sealedpushd`: the push service. It carries sealed notifications to Apple and holds no key that opens one.
@main
enum Main {
    /// Synchronous: this thread waits for signals, and the runtime's own waiting would let signals through.
    static func main() {
        ProcessSettings.apply("sealedpushd")
        // Not `exit`: libraries would run destructors under threads that still close connections. All data is on disk
        // or in the log by now.
        _exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
