import Glibc

/// `sealedpush`: the command line of senders, devices and testers. It has no logic of its own.
@main
enum Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await Program.run(arguments))
    }
}
