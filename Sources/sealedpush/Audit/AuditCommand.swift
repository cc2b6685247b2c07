import Audit
import ChildProcesses
import CommandLineTool
import Envelope
import Glibc
import Keys

/// Plants canaries, and searches what each party has for them.
struct AuditCommand: Command {
    static let name = "audit"
    static let summary = "shows with canaries who can see what: in a run of all parts, at a relay, or in copies"
    static let operands = "[PARTY=PATH...]"
    static let options = [
        Option("--keys", "FOLDER", "the example keys; keys-example without it"),
        Option("--keep", "FOLDER", "keeps canaries and what each party had, for --offline; made, with mode 0700"),
        Option("--offline", "FOLDER", "runs nothing: searches what 'audit --keep FOLDER' kept"),
        Option("--relay", "URL", "instead of a run of all parts: a relay, such as https://push.example.com:8443"),
        Option("--api-key-file", "FILE", "its API key, of scopes send, manage and read; with metrics, these too"),
        Option("--topic", "BUNDLE-ID", "an app of that key's tenant"),
        Option("--environment", "production|sandbox", "the app's; production without it"),
        Option("--ca", "FILE", "the authority to trust instead of the system's"),
        Option("--process", "PID", "the memory of this process too, if the system permits it"),
        .json,
    ]
    static let example = """
        Example:
          sealedpush audit --keep held
          sealedpush audit --offline held core=core.4711 log=/var/log/relay.log
          sealedpush audit --relay https://push.example.com:8443 --api-key-file key \\
              --topic com.example.chat store=/var/lib/sealedpush/store.sqlite \\
              log=/var/log/relay.log --process "$(pidof sealedpushd)"

        Starts simulator, relay, host of attachments and a phone, sends messages full of canaries, and searches what each had
        for every canary, in each usual spelling. Prints a table with the evidence of each cell. Exit code 1 if a party
        has what docs/security.md does not allow, or lacks what it must have.

        At a relay it registers two devices with made-up tokens, sends each a message, which APNs refuses, searches, and
        deletes them.

        PARTY is apple, calls, store, copy, log, stats, hooks, memory, core, blobs, locked or phone; PATH is a file or a
        folder. The relay's memory can be read only by root, or under 'unshare --map-root-user'.
        """

    private let deployment: AuditDeployment?
    private let keys: String
    private let kept: String?
    private let offline: String?
    private let printsJSON: Bool
    private let sources: [(party: Party, source: Source)]

    init(_ arguments: Arguments) throws(CommandError) {
        keys = arguments.value("--keys") ?? "keys-example"
        kept = arguments.value("--keep")
        offline = arguments.value("--offline")
        printsJSON = arguments.flag(.json)
        var sources: [(party: Party, source: Source)] = []
        for operand in arguments.operands {
            let parts = operand.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let party = Party(rawValue: String(parts[0])) else {
                throw arguments.wrong("'\(TerminalText.safe(operand))' is not PARTY=PATH, such as log=relay.log")
            }
            sources.append((party, .path(String(parts[1]))))
        }
        if let process = try arguments.number("--process", 1...Int(Int32.max)) {
            sources.append((.memory, .process(Int32(process))))
        }
        self.sources = sources
        guard offline == nil || kept == nil else {
            throw arguments.wrong("--offline searches what --keep kept; give one of them")
        }
        deployment = try Self.deployment(arguments)
        guard offline == nil || deployment == nil else {
            throw arguments.wrong("--offline asks no relay; leave --relay out")
        }
        guard offline != nil || deployment != nil || sources.isEmpty else {
            throw arguments.wrong("PARTY=PATH and --process need --offline or --relay")
        }
    }

    private static func deployment(_ arguments: Arguments) throws(CommandError) -> AuditDeployment? {
        guard arguments.value("--relay") == nil else { return try AuditDeployment(arguments) }
        try arguments.refuse("--api-key-file", "--topic", "--environment", "--ca", because: "needs --relay")
        return nil
    }

    private func audit(_ deployment: AuditDeployment) throws(CommandError) {
        let temporary = try TemporaryFolder("audit")
        let path: String
        if let kept { path = try Self.made(kept) } else { path = try temporary.make("held") }
        let held = AuditFolder(path: path)
        var deployment = deployment
        let set = try deployment.plant(held)
        let report = Auditor(set, isComplete: true).audit(held.sources + sources)
        try deployment.remove()
        try judge(report, in: path)
    }

    func run() async throws(CommandError) {
        if let deployment { return try audit(deployment) }
        if let offline {
            let folder = AuditFolder(path: offline)
            let set = try folder.canaries()
            return try judge(Auditor(set, isComplete: false).audit(folder.sources + sources), in: offline)
        }
        guard unsafe access(keys + "/provider.p8", R_OK) == 0 else {
            throw .failed(
                "\(TerminalText.safe(keys)): the example keys are missing; run the audit in the checkout, or pass --keys"
            )
        }
        // From here a signal ends a wait, and all is cleaned up.
        let stop = try StopSignal()
        let folder = try TemporaryFolder("audit")
        let heldPath: String
        if let kept { heldPath = try Self.made(kept) } else { heldPath = try folder.make("held") }
        let held = AuditFolder(path: heldPath)
        let receiver = try await AuditReceiver.start()
        let watch = DemoStage.Watch(
            tablet: "phone-" + AuditMessage.word(),
            home: try folder.make("home"),
            webhook: (receiver.port, try webhookSecret(folder.path))
        )
        let stage = try DemoStage(
            keys: keys,
            folder: folder.path,
            picture: keys + "/picture.png",
            watch: watch,
            stop: stop
        )
        var play = AuditPlay(stage, receiver, home: watch.home, held: held)
        let (set, unread) = try play.run()
        stage.close()
        try judge(Auditor(set, isComplete: true).audit(held.sources, unread: unread), in: heldPath)
    }

    private static func made(_ folder: String) throws(CommandError) -> String {
        guard unsafe mkdir(folder, 0o700) == 0 else { throw .file(.system(call: "mkdir", path: folder, code: errno)) }
        return folder
    }

    private func webhookSecret(_ folder: String) throws(CommandError) -> String {
        let path = folder + "/webhook.key"
        let secret = "whsec_" + String(repeating: "A", count: 4) + AuditMessage.word() + AuditMessage.word()
        do throws(FileError) {
            try WholeFile.write(Array(secret.utf8), to: path, access: .ownerOnly)
        } catch {
            throw .file(error)
        }
        return path
    }

    private func judge(_ report: AuditReport, in folder: String) throws(CommandError) {
        let text = AuditText(report: report, folder: folder)
        for line in printsJSON ? text.json : text.lines { try Output.print(line) }
        let faults = report.faults.map { "\($0.asset.rawValue) at \($0.party.head)" }
        guard faults.isEmpty else {
            throw .failed("not as docs/security.md says: \(faults.joined(separator: ", ")); the evidence is above")
        }
        let unread = report.extents.filter { $0.unread != nil }.map(\.party.head)
        guard unread.isEmpty else {
            throw .failed("not searched: \(unread.joined(separator: ", ")); the reason is above")
        }
    }
}
