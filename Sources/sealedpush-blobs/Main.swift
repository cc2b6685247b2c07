import CommandLineTool

/// `sealedpush-blobs`: the attachments' host, without a key that opens one.
@main
enum Main {
    static func main() async {
        await Program("sealedpush-blobs", commands: [ServeCommand.self, TokenCommand.self]).main()
    }
}
