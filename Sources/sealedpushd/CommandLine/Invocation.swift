import CommandLineTool
import PushStore

enum Invocation: Equatable {
    case run(configuration: String)
    case check(configuration: String)
    case makeKey(file: String)
    case makeAPIKey(printsJSON: Bool)
    case backup(file: String, configuration: String)
    case integrity(configuration: String)
    case migrate(configuration: String)
    case move(file: String, configuration: String)
    case acknowledgeRestore(RestoredQueue, configuration: String)

    private enum Verb: String, CaseIterable {
        case run
        case check
        case makeKey = "make-key"
        case makeAPIKey = "make-api-key"
        case backup
        case integrity
        case migrate
        case move
        case acknowledgeRestore = "acknowledge-restore"
    }

    /// - Parameter words: without the program's name.
    init(_ words: [String]) throws(InvocationError) {
        var operands: [String] = []
        var configuration: String?
        var checks = false
        var printsJSON = false
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--check-config": checks = true
            case "--json": printsJSON = true
            case _ where word == "--config" || word.hasPrefix("--config="):
                guard configuration == nil else { throw InvocationError(reason: "--config is given twice") }
                let value = word == "--config" ? rest.popFirst() : String(word.dropFirst("--config=".count))
                guard let value, !value.isEmpty, !value.hasPrefix("--") else {
                    throw InvocationError(reason: "--config FILE: the file is missing")
                }
                configuration = value
            case _ where word.hasPrefix("-"):
                throw InvocationError(reason: Usage.table.noOption(word))
            default: operands.append(word)
            }
        }
        try self.init(operands, configuration, checks: checks, printsJSON: printsJSON)
    }

    private init(
        _ operands: [String],
        _ configuration: String?,
        checks: Bool,
        printsJSON: Bool
    ) throws(InvocationError) {
        var verb = Verb.run
        var files = operands[...]
        if let word = operands.first {
            guard let known = Verb(rawValue: word), known != .run, known != .check else {
                throw InvocationError(reason: Usage.table.noCommand(operands))
            }
            verb = known
            files = files.dropFirst()
        }
        if checks {
            guard verb == .run else { throw InvocationError(reason: "--check-config does not go with a command") }
            verb = .check
        }
        guard !printsJSON || verb == .makeAPIKey else {
            throw InvocationError(reason: "--json goes only with make-api-key")
        }
        let operand: String? =
            switch verb {
            case .makeKey, .backup, .move: "one file"
            case .acknowledgeRestore: "'send' or 'drop', for the notifications that wait in the database"
            case .run, .check, .makeAPIKey, .integrity, .migrate: nil
            }
        guard files.count == (operand == nil ? 0 : 1) else {
            throw InvocationError(
                reason: operand.map { "\(verb.rawValue) takes \($0)" } ?? "there are too many arguments"
            )
        }
        let file = files.first ?? ""
        switch verb {
        case .makeKey, .makeAPIKey:
            guard configuration == nil else { throw InvocationError(reason: "\(verb.rawValue) takes no configuration") }
            self = verb == .makeKey ? .makeKey(file: file) : .makeAPIKey(printsJSON: printsJSON)
        case .run, .check, .backup, .integrity, .migrate, .move, .acknowledgeRestore:
            guard let configuration else { throw InvocationError(reason: "--config FILE is missing") }
            switch verb {
            case .check: self = .check(configuration: configuration)
            case .backup: self = .backup(file: file, configuration: configuration)
            case .integrity: self = .integrity(configuration: configuration)
            case .migrate: self = .migrate(configuration: configuration)
            case .move: self = .move(file: file, configuration: configuration)
            case .acknowledgeRestore:
                guard let queue = RestoredQueue(rawValue: file) else {
                    throw InvocationError(reason: "\(verb.rawValue) takes \(operand ?? "")")
                }
                self = .acknowledgeRestore(queue, configuration: configuration)
            default: self = .run(configuration: configuration)
            }
        }
    }
}

struct InvocationError: Error, Equatable {
    /// Sentence without its full stop.
    let reason: String
}
