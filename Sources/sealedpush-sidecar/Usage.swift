import CommandLineTool

enum Usage {
    static let table = ProgramTable(
        "sealedpush-sidecar",
        "sealer of push notifications for back ends",
        manualSection: 8,
        text: """
            Takes words from a back end over a unix socket or 127.0.0.1, seals them for each device, and posts the copies
            to the relay, sealedpushd(8), until it has them. It has the sender's key, and no key that opens a message.

            It runs in the foreground. It writes one line of JSON for each event to standard output, and faults at its
            start to standard error.
            """,
        commands: [
            CommandTable(
                "",
                "Takes messages until SIGTERM.",
                options: [
                    Option("--config", "FILE", "the configuration: one JSON file", isRequired: true),
                    Option(flag: "--check-config", "reads FILE and every file that it names; 78 for a fault"),
                    Option(flag: "--allow-example-keys", "loads a published sender key, which protects nothing"),
                ],
                text: """
                    --check-config prints each fault, or 'ok' and a summary of the configuration. It starts nothing and
                    writes nothing. FILE is described in docs/sidecar.md.
                    """
            )
        ],
        sections: [
            ManualSection(
                "SIGNALS",
                [
                    (
                        "SIGTERM, SIGINT",
                        """
                        Takes nothing new, answers what was taken, and ends. A second one ends it at once; nothing that
                        was answered is lost.
                        """
                    ), ("SIGHUP", "Is ignored: restart it to have it read FILE anew."),
                ]
            ),
            ManualSection(
                "EXIT STATUS",
                [
                    ("0", "Done."), ("1", "A failure that may pass."), ("64", "The command line is wrong."),
                    ("78", "The configuration, or a file that it names, is wrong."),
                ]
            ), ManualSection("SEE ALSO", [("", "sealedpushd(8), docs/sidecar.md")]),
        ]
    )

    /// - Returns: nil if the words ask for work.
    static func answer(to words: [String]) -> Result<String, UsageError>? {
        do throws(CommandError) {
            return try table.answer(to: words).map { .success($0) }
        } catch {
            return .failure(UsageError(reason: error.reason))
        }
    }

    static var hint: String { table.hint }

    static func unknown(_ word: String) -> String {
        table.noOption(word)
    }

    struct UsageError: Error {
        let reason: String
    }
}
