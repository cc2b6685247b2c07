import Glibc

/// `sealedpush`: the command line of senders, devices and testers. It has no logic of its own.
@main
enum Main {
    static func main() async {
        // A reader that is gone and a limit on file sizes are then errors of `write`, with a sentence and an exit code:
        // their default is death, with half a file left behind.
        for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await Program.run(arguments))
    }
}
