import ChildProcesses
import CommandLineTool
import Envelope
import Glibc

/// Starts simulator, relay, file host, devices and sender as processes; is the back end, which reads no message.
struct DemoCommand: Command {
    static let name = "demo"
    static let summary = "sends a sealed message from a file to a simulated lock screen"
    static let operands = ""
    static let options = [
        Option("--keys", "FOLDER", "the example keys; keys-example without it"),
        Option("--message", "FILE", "the message; FOLDER/message.json without it"),
        Option("--picture", "FILE", "a PNG to attach; FOLDER/picture.png without it"),
        Option("--screen", "FILE", "draws the lock screen (SVG)"),
    ]
    static let example = """
        Example:
          sealedpush demo --message keys-example/message.json --screen screen.svg
        """

    private let keys: String
    private let message: String
    private let picture: String
    private let screen: String?

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        keys = arguments.value("--keys") ?? "keys-example"
        message = arguments.value("--message") ?? keys + "/message.json"
        picture = arguments.value("--picture") ?? keys + "/picture.png"
        screen = arguments.value("--screen")
    }

    func run() throws(CommandError) {
        guard unsafe access(keys + "/provider.p8", R_OK) == 0 else {
            throw .failed(
                "\(TerminalText.safe(keys)): the example keys are missing; run the demo in the checkout, "
                    + "or pass --keys"
            )
        }
        // From here a signal ends a wait, and all is cleaned up.
        let stop = try StopSignal()
        let folder = try TemporaryFolder("demo")
        let stage = try DemoStage(keys: keys, folder: folder.path, picture: picture, stop: stop)
        try DemoPlay(stage, message: message, screen: screen).run()
        stage.close()
    }
}
