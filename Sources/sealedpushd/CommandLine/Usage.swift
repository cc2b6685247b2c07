import CommandLineTool

enum Usage {
    private static let configuration = Option("--config", "FILE", "the configuration: one JSON file", isRequired: true)

    static let table = ProgramTable(
        "sealedpushd",
        "relay for end-to-end encrypted push notifications to Apple devices",
        manualSection: 8,
        text: """
            Takes sealed notifications from back ends over HTTP, stores them on the disk and sends them to Apple's push
            service. It has no key that opens one.

            It runs in the foreground. It writes one line of JSON for each event to standard output, and faults at its
            start to standard error.
            """,
        commands: [
            CommandTable(
                "",
                "Runs the service until SIGTERM; SIGHUP reads FILE again.",
                options: [
                    configuration,
                    Option(flag: "--check-config", "reads FILE and every file that it names; 78 for a fault"),
                ],
                text: """
                    --check-config prints each fault as FILE:LINE:COLUMN, or 'ok' and a summary of the configuration. It
                    starts nothing and writes nothing.

                    FILE is described in docs/service.md, running the service in docs/operations.md.
                    """
            ),
            CommandTable(
                "make-key",
                "makes the key that device tokens are encrypted under",
                operands: "FILE",
                text: "FILE gets 32 random bytes and mode 0600. No file is overwritten."
            ),
            CommandTable(
                "make-api-key",
                "makes a tenant's key for the API, and its hash for the configuration",
                options: [.json],
                text: "The key is shown only once; the hash goes into the configuration."
            ),
            CommandTable(
                "backup",
                "copies the database, also while the service runs",
                operands: "COPY",
                options: [configuration],
                text: """
                    A running service makes the copy itself and must be allowed to write there. The copy needs the same
                    token key.
                    """
            ),
            CommandTable(
                "integrity",
                "reads the whole database and prints its faults, or 'ok'",
                options: [configuration]
            ),
            CommandTable(
                "migrate",
                "brings the schema of a 'database' up to date, before the service of a new version starts",
                options: [configuration],
                text: """
                    Relays of the version before work on meanwhile. The database's user must own the schema, or be allowed
                    to create it.
                    """
            ),
            CommandTable(
                "move",
                "copies a 'database-file' into the empty 'database' of the configuration, to go on there",
                operands: "FILE",
                options: [configuration],
                text: """
                    No service may run meanwhile. FILE stays as it is; do not start a service on it again. After an
                    interruption the same command goes on.
                    """
            ),
            CommandTable(
                "acknowledge-restore",
                "releases a restored database, which the service only reads until then",
                operands: "send|drop",
                options: [configuration],
                text: """
                    Notifications that wait in it are sent, perhaps for the second time ('send'), or end as dead letters
                    ('drop'). The service must not run meanwhile.
                    """
            ),
        ],
        sections: [
            ManualSection(
                "SIGNALS",
                [
                    (
                        "SIGHUP",
                        """
                        Reads the configuration and its files again. If one is wrong, each fault is logged and nothing
                        changes. The database, its token key and the listeners cannot change. Limits of connections apply
                        to new connections.
                        """
                    ),
                    (
                        "SIGTERM, SIGINT",
                        """
                        Takes no new requests, finishes running work within 'drain-seconds', and exits with 0. A second
                        signal ends the process at once, with 1. Nothing that was accepted is lost.
                        """
                    ), ("SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ", "Ignored."),
                ]
            ),
            ManualSection(
                "ENVIRONMENT",
                [
                    (
                        "SEALEDPUSH_*",
                        """
                        Override fields of the configuration, listed in docs/service.md. Any other variable with this
                        prefix is a fault.
                        """
                    ), ("NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID", "Set by systemd; see systemd.service(5)."),
                ]
            ),
            ManualSection(
                "FILES",
                [
                    ("/etc/sealedpush/sealedpushd.json", "The configuration that the unit file uses."),
                    ("/var/lib/sealedpush", "The database and SQLite's files beside it."),
                ]
            ),
            ManualSection(
                "EXIT STATUS",
                [
                    ("0", "Done, or ended by SIGTERM or SIGINT."), ("1", "Failed; the message has the remedy."),
                    ("64", "The command line is wrong."),
                    (
                        "78",
                        """
                        The configuration or a file that it names is wrong, or the user may not listen on a port. A start
                        without a change would fail again.
                        """
                    ),
                ]
            ),
            ManualSection(
                "SEE ALSO",
                [
                    (
                        "",
                        """
                        systemd.service(5); docs/service.md for the configuration and the API, docs/delivery-semantics.md
                        for retries, replacement, crashes and overload, docs/operations.md for running the service.
                        """
                    )
                ]
            ),
        ]
    )

    /// - Returns: nil if the words ask for work.
    static func answer(to words: [String]) throws(InvocationError) -> String? {
        do throws(CommandError) {
            return try table.answer(to: words)
        } catch {
            throw InvocationError(reason: error.reason)
        }
    }

    static func complaint(_ error: InvocationError) -> String { "sealedpushd: \(error.reason)\n\(table.hint)" }
}
