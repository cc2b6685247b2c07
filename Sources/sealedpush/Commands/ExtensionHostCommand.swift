import CommandLineTool
import ExtensionHarness
import NotificationServiceExtension

/// Service extension's process, started by `sealedpush device`.
struct ExtensionHostCommand: Command {
    static let name = "extension-host"
    static let summary = "runs the service extension for 'sealedpush device', which starts it"
    static let operands = ""
    static let options: [Option] = []
    static let example = """
        Example:
          sealedpush extension-host

        Exits with an error: only 'sealedpush device' can use it.
        """

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
    }

    func run() async throws(CommandError) {
        await ExtensionHost.serve { PrincipalClass.make() }
    }
}
