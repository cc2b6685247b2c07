import ServiceParts

enum Program {
    static func run(_ words: [String]) -> Int32 {
        let invocation: Invocation
        do throws(InvocationError) {
            invocation = try Invocation(words)
        } catch {
            Output.complain("sealedpushd: \(error.reason)\n\n\(Usage.text)")
            return ExitCode.usage
        }
        // The runtime does not report missing descriptors, so before it has a thread.
        if invocation != .version, invocation != .help, let shortage = ProcessSettings.shortage("sealedpushd") {
            Output.complain(shortage)
            return ExitCode.configuration
        }
        switch invocation {
        case .run(let configuration): return Daemon(configuration: configuration).run()
        case .check(let configuration): return CheckCommand.run(configuration)
        case .makeKey(let file): return MakeKeyCommand.run(file)
        case .makeAPIKey: return MakeAPIKeyCommand.run()
        case .backup(let file, let configuration): return StoreCommands.backup(file, configuration)
        case .integrity(let configuration): return StoreCommands.integrity(configuration)
        case .acknowledgeRestore(let queue, let configuration):
            return StoreCommands.acknowledgeRestore(queue, configuration)
        case .version: return Output.show(Usage.version) ? ExitCode.done : ExitCode.failed
        case .help: return Output.show(Usage.text) ? ExitCode.done : ExitCode.failed
        }
    }
}
