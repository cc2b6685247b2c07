import CommandLineTool

/// `sealedpush-blobs`: the host that attachments are fetched from. It holds no key that opens one.
@main
enum Main {
    static func main() async {
        await Program("sealedpush-blobs", commands: [ServeCommand.self, TokenCommand.self]).main()
    }
}
