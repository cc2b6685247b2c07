import CommandLineTool

/// Attachments' host, without a key that opens one.
@main
enum Main {
    static func main() async {
        await Program(
            "sealedpush-blobs",
            "host of sealed attachments of push notifications",
            text: """
                Keeps sealed attachments until devices fetch them, over HTTPS. It has no key that opens one. docs/blobs.md
                describes it.
                """,
            commands: [ServeCommand.self, TokenCommand.self]
        )
        .main()
    }
}
