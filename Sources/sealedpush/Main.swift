import CommandLineTool

/// Command line of senders, devices and testers, without logic of its own.
@main
enum Main {
    static func main() async {
        await Program(
            "sealedpush",
            "seal, send, simulate and open encrypted push notifications",
            text: """
                The command line of SealedPush. It makes keys, seals messages for devices, sends them to Apple or to a
                strict simulator of Apple's service, and shows what a device would show.

                Private keys are made with mode 0600, and none is overwritten. An option's value follows it, or "=".
                "-" as a file that is read is standard input.
                """,
            commands: [
                KeygenCommand.self, SealCommand.self, SealLinesCommand.self, OpenCommand.self, AttachmentCommand.self,
                AttachmentUploadCommand.self, InspectCommand.self, SafetyNumberCommand.self, SendCommand.self,
                TicketCommand.self,
                SimulateCommand.self, SimulateReplayCommand.self, TokenCommand.self, DeliveryLogCommand.self,
                DeviceCommand.self, ReplayCommand.self, DemoCommand.self, AuditCommand.self,
            ],
            ownCommands: [ExtensionHostCommand.self]
        )
        .main()
    }
}
