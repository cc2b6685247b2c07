import Platform
import ServiceParts

/// `sealedpush-sidecar`: seals for back ends in any language. Holds a sender's key, and none that opens a message.
@main
enum Main {
    /// Synchronous: this thread waits for signals.
    static func main() {
        ProcessSettings.apply("sealedpush-sidecar")
        // Not `exit`: libraries would run destructors under threads that still close connections.
        _exit(SidecarProgram.run(Array(CommandLine.arguments.dropFirst())))
    }
}
