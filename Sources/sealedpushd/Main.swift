import Platform

/// `sealedpushd`: the push service. It carries sealed notifications to Apple and holds no key that opens one.
@main
enum Main {
    /// Synchronous: this thread waits for signals' news, and the runtime's own waiting would let signals through.
    static func main() {
        ProcessSettings.apply()
        exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
