import CommandLineTool

/// `sealedpush-bench`: cost of sealing, opening, attachments, the extension, sending and the relay on this machine. Not
/// shipped.
@main
enum Main {
    static func main() async {
        await Program(
            "sealedpush-bench",
            "measures sealing, opening, the extension, sending and the relay",
            commands: [
                CryptoCommand.self, AttachmentCommand.self, ExtensionCommand.self, FetchCommand.self,
                ProviderCommand.self, ServiceCommand.self,
            ],
            ownCommands: [AttachmentProcess.self, ExtensionProcess.self, FetchProcess.self, ProviderProcess.self]
        )
        .main()
    }
}
