import ServiceParts

enum Program {
    static func run(_ words: [String]) -> Int32 {
        let invocation: Invocation
        do throws(InvocationError) {
            if let text = try Usage.answer(to: words) { return Output.show(text) ? ExitCode.done : ExitCode.failed }
            invocation = try Invocation(words)
        } catch {
            Output.complain(Usage.complaint(error))
            return ExitCode.usage
        }
        // The runtime does not report missing descriptors, so before it has a thread.
        if let shortage = ProcessSettings.shortage("sealedpushd") {
            Output.complain(shortage)
            return ExitCode.configuration
        }
        switch invocation {
        case .run(let configuration): return Daemon(configuration: configuration).run()
        case .check(let configuration): return CheckCommand.run(configuration)
        case .makeKey(let file): return MakeKeyCommand.run(file)
        case .makeAPIKey(let printsJSON): return MakeAPIKeyCommand.run(printsJSON: printsJSON)
        case .backup(let file, let configuration): return StoreCommands.backup(file, configuration)
        case .integrity(let configuration): return StoreCommands.integrity(configuration)
        case .migrate(let configuration): return DatabaseCommands.migrate(configuration)
        case .move(let file, let configuration): return DatabaseCommands.move(file, configuration)
        case .acknowledgeRestore(let queue, let configuration):
            return StoreCommands.acknowledgeRestore(queue, configuration)
        }
    }
}
