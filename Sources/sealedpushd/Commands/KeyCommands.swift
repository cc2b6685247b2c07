import Keys
import Primitives
import PushService

/// `make-key`: the key over device tokens.
enum MakeKeyCommand {
    static func run(_ path: String) -> Int32 {
        var random = SystemRandom()
        do throws(FileError) {
            try TokenKeyFile.make(path, random: &random)
        } catch {
            Output.complain("sealedpushd: \(path): \(error.advice)")
            return ExitCode.failed
        }
        let text = """
            made \(path), which only its owner may read
            Keep a copy apart from the database's: without it the registered device tokens cannot be read.
            """
        return Output.show(text) ? ExitCode.done : ExitCode.failed
    }
}

/// `make-api-key`: a tenant's key, shown this once, and what the configuration has of it.
enum MakeAPIKeyCommand {
    static func run() -> Int32 {
        var random = SystemRandom()
        let made = APIKey.make(random: &random)
        let text = """
            key   \(made.text)
            hash  \(made.hash.text)
            The key is for the sender and is shown this once; the hash is for the configuration.
            """
        return Output.show(text) ? ExitCode.done : ExitCode.failed
    }
}
