import PushStore
import Testing

@testable import sealedpushd

struct InvocationTests {
    @Test(
        arguments: [
            (["--config", "/c"], Invocation.run(configuration: "/c")),
            (["--config=/c"], .run(configuration: "/c")),
            (["--check-config", "--config", "/c"], .check(configuration: "/c")),
            (["make-key", "/k"], .makeKey(file: "/k")),
            (["make-api-key"], .makeAPIKey(printsJSON: false)),
            (["make-api-key", "--json"], .makeAPIKey(printsJSON: true)),
            (["backup", "/b", "--config", "/c"], .backup(file: "/b", configuration: "/c")),
            (["migrate", "--config", "/c"], .migrate(configuration: "/c")),
            (["move", "/b", "--config", "/c"], .move(file: "/b", configuration: "/c")),
            (["integrity", "--config", "/c"], .integrity(configuration: "/c")),
            (["acknowledge-restore", "drop", "--config", "/c"], .acknowledgeRestore(.drop, configuration: "/c")),
        ] as [([String], Invocation)]
    )
    func `a command line asks for one thing`(_ words: [String], _ invocation: Invocation) throws {
        #expect(try Invocation(words) == invocation)
    }

    @Test(
        arguments: [
            ([], "--config FILE is missing"),
            (["--config"], "--config FILE: the file is missing"),
            (["--config", "--check-config"], "--config FILE: the file is missing"),
            (["--config", "/a", "--config", "/b"], "--config is given twice"),
            (["--confg", "/a"], "there is no option '--confg'; did you mean '--config'?"),
            (["make-keys"], "there is no command 'make-keys'; did you mean 'make-key'?"),
            (["run", "--config", "/a"], "there is no command 'run'"),
            (["--json", "--config", "/a"], "--json goes only with make-api-key"),
            (["make-key"], "make-key takes one file"),
            (["make-key", "/a", "/b"], "make-key takes one file"),
            (["make-api-key", "/a"], "there are too many arguments"),
            (["make-api-key", "--config", "/a"], "make-api-key takes no configuration"),
            (["backup", "/a"], "--config FILE is missing"),
            (["backup", "/a", "--config", "/c", "--check-config"], "--check-config does not go with a command"),
            (
                ["acknowledge-restore", "all", "--config", "/c"],
                "acknowledge-restore takes 'send' or 'drop', for the notifications that wait in the database"
            ),
            (["acknowledge-restore", "send"], "--config FILE is missing"), (["\u{1B}[31m"], "there is no command '…'"),
        ] as [([String], String)]
    )
    func `a command line that asks for nothing says why`(_ words: [String], _ reason: String) {
        #expect(throws: InvocationError(reason: reason)) { try Invocation(words) }
    }
}
