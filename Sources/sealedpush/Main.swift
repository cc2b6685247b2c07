import CommandLineTool

/// `sealedpush`: the command line of senders, devices and testers. It has no logic of its own.
@main
enum Main {
    static func main() async {
        await Program(
            "sealedpush",
            commands: [
                KeygenCommand.self, SealCommand.self, SealLinesCommand.self, OpenCommand.self, AttachmentCommand.self,
                AttachmentUploadCommand.self, InspectCommand.self, SafetyNumberCommand.self, SendCommand.self,
                SimulateCommand.self, SimulateReplayCommand.self, TokenCommand.self, DeliveryLogCommand.self,
                DeviceCommand.self, ReplayCommand.self, DemoCommand.self,
            ],
            ownCommands: [ExtensionHostCommand.self]
        )
        .main()
    }
}
