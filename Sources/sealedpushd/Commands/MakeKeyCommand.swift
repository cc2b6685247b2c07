import Keys
import Platform
import Primitives
import PushService

enum MakeKeyCommand {
    static func run(_ path: String) -> Int32 {
        var random = SystemRandom()
        do throws(FileError) {
            try TokenKeyFile.make(path, random: &random)
        } catch {
            Output.complain("sealedpushd: \(path): \(advice(error))")
            return ExitCode.failed
        }
        let text = """
            made \(path), which only its owner may read
            Keep a copy apart from the database's: without it the registered device tokens cannot be read.
            """
        return Output.show(text) ? ExitCode.done : ExitCode.failed
    }

    /// `FileError.advice` is for reading.
    private static func advice(_ error: FileError) -> String {
        switch error {
        case .system(_, _, EEXIST): "it is there already, and stays as it is; name another file"
        case .system(_, _, ENOENT): "its folder is not there; make it"
        case .system(_, _, EACCES):
            "this user can make nothing in its folder; run this as the one that the service runs as"
        case .system(_, _, EROFS): "its file system is read-only; name another file"
        case .system(_, _, ENOSPC): "the disk is full; make room"
        default: error.advice
        }
    }
}

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
