/// What sealing, opening, attachments, the extension and sending cost on this machine.
struct BenchCommand: Command {
    static let name = "bench"
    static let summary = "times sealing, opening, attachments, the extension, sending and the relay"
    static let operands = "crypto|attachment|extension|fetch|provider|service"
    static let options =
        [
            Option("--rounds", "N", "crypto: how many rounds the medians are over, 1 to 10000; 51 without it"),
            Option(
                "--size",
                "N",
                "attachment: how many MiB each way, 16 to 65536; 256 without it. provider: bytes; 1024 without it"
            ),
            Option(
                "--keys",
                "FOLDER",
                "fetch, service: the example keys, for TLS on localhost; keys-example without it"
            ),
            Option("--pushes", "N", "extension: how many, 1 to 10000000; 20000 without it"),
            Option("--schedules", "N", "extension: how many random schedules of mishaps it gets instead, 1 to 1000000"),
            Option(
                "--seed",
                "N",
                "of the first schedule, the others follow it; of the moments of --kills. Random without it"
            ),
        ] + ProviderBenchRun.options + ServiceBenchRun.options + [.json]
    static let example = """
        Example:
          sealedpush bench crypto
          sealedpush bench attachment
          sealedpush bench extension --pushes 1000000
          sealedpush bench extension --schedules 10000
          sealedpush bench fetch
          sealedpush bench provider --target localhost:2197 --ca keys-example/ca.pem
          sealedpush bench service --overload 3
          sealedpush bench service --devices 10000,1000000
          sealedpush bench service --kills 10

        crypto: 'sum' is the CPU time of libsodium's bare calls for the same work, timed in turn with ours in the same run.
        attachment: 'bare' is OpenSSL's AES-256-GCM over the same bytes in the same run; memory is that of processes which open
        5, 50 and 500 MB into a file in $TMPDIR, beside one that does nothing.
        extension: 'empty' is the same program with an extension that calls its handler at once. Figures mean something for
        an optimised build only.
        fetch: peak memory of fetching and opening 5, 50 and 500 MB over HTTPS, beside a process that fetched one byte.
        provider: any server will do that answers 200; each mode has a process of its own, whose memory is beside that of one
        which sends nothing. 'loop' sends from tasks on the client's event loop, 'default' from tasks on the global pool.
        service: 'sealedpushd' on one processor, what posts to it and a simulator behind it on another; CPU is the relay's.
        Goodput of --overload is what was accepted in a turn beside the mean of the turns before and behind it, which post the
        next one when one was answered; each is timed for a second when half of one has passed.
        Exit code 1 of --kills says that something acknowledged was lost, or sent again without need.
        A schedule is pushes to a simulated device and what happens to it: locked, full, short of time, asked twice. Exit
        code 1 says that the extension broke a promise in one of them; its seed repeats it.
        """

    private enum Subject {
        case crypto(rounds: Int)
        case attachment(AttachmentBenchRun)
        case extensionRuns(pushCount: Int)
        case schedules(ScheduleBench)
        case fetch(keys: String)
        case provider(ProviderBenchRun)
        case service(ServiceBenchRun)
    }

    private let subject: Subject
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        let subject = try arguments.operand("crypto, attachment, extension, fetch, provider or service")
        if subject != "crypto" { try arguments.refuse("--rounds", because: "is for crypto") }
        if subject != "attachment", subject != "provider" {
            try arguments.refuse("--size", because: "is for attachment and provider")
        }
        if subject != "fetch", subject != "service" {
            try arguments.refuse("--keys", because: "is for fetch and service")
        }
        if subject != "extension" { try arguments.refuse("--pushes", "--schedules", because: "is for the extension") }
        if subject != "extension", subject != "service" {
            try arguments.refuse("--seed", because: "is for the extension and service")
        }
        if subject != "provider" { try ProviderBenchRun.refuseOptions(of: arguments) }
        if subject != "service" { try ServiceBenchRun.refuseOptions(of: arguments) }
        switch subject {
        case "crypto":
            self.subject = .crypto(rounds: try arguments.number("--rounds", 1...10_000) ?? 51)
        case "attachment":
            let size = try arguments.number("--size", 16...65_536) ?? 256
            self.subject = .attachment(AttachmentBenchRun(byteCount: size << 20, printsJSON: arguments.flag(.json)))
        case "extension": self.subject = try Self.extensionSubject(arguments)
        case "fetch": self.subject = .fetch(keys: arguments.value("--keys") ?? "keys-example")
        case "provider": self.subject = .provider(try ProviderBenchRun(arguments))
        case "service": self.subject = .service(try ServiceBenchRun(arguments))
        default: throw arguments.wrong("bench times crypto, attachment, extension, fetch, provider or service")
        }
        printsJSON = arguments.flag(.json)
    }

    private static func extensionSubject(_ arguments: Arguments) throws(CommandFailure) -> Subject {
        guard let count = try arguments.number("--schedules", 1...1_000_000) else {
            try arguments.refuse("--seed", because: "is for --schedules")
            return .extensionRuns(pushCount: try arguments.number("--pushes", 1...10_000_000) ?? 20_000)
        }
        try arguments.refuse("--pushes", because: "is not for --schedules")
        if arguments.flag(.json) { throw arguments.wrong("--json is not for --schedules") }
        let seed = try arguments.number("--seed", 0...Int(Int32.max)) ?? .random(in: 0...Int(Int32.max))
        return .schedules(ScheduleBench(count: count, seed: UInt64(seed)))
    }

    func run() async throws(CommandFailure) {
        switch subject {
        case .crypto(let rounds):
            Self.warnIfNotOptimized()
            try CryptoBenchRun(rounds: rounds, printsJSON: printsJSON).run()
        case .attachment(let bench):
            Self.warnIfNotOptimized()
            try bench.run()
        case .extensionRuns(let pushCount):
            Self.warnIfNotOptimized()
            try ExtensionBenchRun(pushCount: pushCount, printsJSON: printsJSON).run()
        case .schedules(let bench): try await bench.run()
        case .fetch(let keys):
            Self.warnIfNotOptimized()
            try await FetchBenchRun(keys: keys, printsJSON: printsJSON).run()
        case .provider(let bench):
            Self.warnIfNotOptimized()
            try bench.run()
        case .service(let bench):
            Self.warnIfNotOptimized()
            try await bench.run()
        }
    }

    private static func warnIfNotOptimized() {
        guard !isOptimized else { return }
        Output.complain("sealedpush: figures of an unoptimised build mean nothing; build with --configuration release")
    }

    /// Assertions are compiled in exactly when the optimizer is off.
    private static var isOptimized: Bool {
        var isOptimized = true
        assert(
            {
                isOptimized = false
                return true
            }()
        )
        return isOptimized
    }
}

extension Arguments {
    func refuse(_ options: String..., because reason: String) throws(CommandFailure) {
        for option in options where value(option) != nil { throw wrong("\(option) \(reason)") }
    }
}
