import Platform

/// `sealedpushd`: the push service. It carries sealed notifications to Apple and holds no key that opens one.
@main
enum Main {
    /// Synchronous: this thread waits for signals' news, and the runtime's own waiting would let signals through.
    static func main() {
        ProcessSettings.apply()
        // Not exit: libraries would take themselves apart under threads that are still letting go of a connection. All that
        // has to be on the disk or in the log is there by now, and nothing of ours is buffered.
        _exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
