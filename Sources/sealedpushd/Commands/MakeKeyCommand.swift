import Envelope
import Keys
import Platform
import Primitives
import PushService
import ServiceParts

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
            made \(path), readable by its owner only
            Keep a copy apart from the database's: without it the registered device tokens cannot be read.
            """
        return Output.show(text) ? ExitCode.done : ExitCode.failed
    }

    /// `FileError.advice` is for reading.
    private static func advice(_ error: FileError) -> String {
        switch error {
        case _ where error.isAboutFolder: error.advice
        case .system(_, _, EEXIST): "it exists already and was not changed; name another file"
        case .system(_, _, ENOENT): "its folder does not exist; make it"
        case .system(_, _, EACCES):
            "this user cannot write in its folder; run this as the service's user"
        case .system(_, _, EROFS): "its file system is read-only; name another file"
        case .system(_, _, ENOSPC): "the disk is full; make room"
        default: error.advice
        }
    }
}

enum MakeAPIKeyCommand {
    static func run(printsJSON: Bool) -> Int32 {
        var random = SystemRandom()
        let made = APIKey.make(random: &random)
        guard !printsJSON else {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("key", made.text)
                writer.member("hash", made.hash.text)
            }
            return Output.show(String(decoding: writer.bytes, as: UTF8.self)) ? ExitCode.done : ExitCode.failed
        }
        let text = """
            key   \(made.text)
            hash  \(made.hash.text)
            The key is for the sender and is shown only once; the hash is for the configuration.
            """
        return Output.show(text) ? ExitCode.done : ExitCode.failed
    }
}
