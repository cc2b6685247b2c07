import Foundation
import Testing

extension CommandLineTests {
    /// Completions in the shells themselves.
    struct CompletionTests {
        /// Proposals of bash, fish or zsh for the last word of a line.
        private static func proposals(
            _ shell: String,
            _ program: ShippedProgram,
            _ line: [String],
            in folder: Folder
        ) async throws -> Set<String> {
            var invocation = Invocation(try script(shell) + [Program.path(of: program.name)] + line, in: folder)
            invocation.program = "/usr/bin/env"
            invocation.environment = ["HOME": folder.path, "TERM": "dumb"]
            let run = try await invocation.run()
            #expect(run.isDone, "\(run)")
            return Set(run.output.split(separator: "\n").map(String.init))
        }

        private static func script(_ shell: String) throws -> [String] {
            switch shell {
            case "bash":
                // As bash cuts a line: "=" is a word of its own.
                return [
                    "bash", "--norc", "-c",
                    """
                    source <("$0" --completions bash)
                    COMP_WORDS=("$0" "$@") COMP_CWORD=$# COMPREPLY=()
                    function=$(complete -p "${0##*/}")
                    function=${function#*-F }
                    ${function% *} "${0##*/}" "${@: -1}" ""
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """,
                ]
            case "fish":
                return [
                    "fish", "--no-config", "-c",
                    """
                    $argv[1] --completions fish | source
                    set -l name (basename $argv[1])
                    set -l words $argv[2..]
                    set -l last $words[-1]
                    set -e words[-1]
                    set -l line $name (string escape -- $words) $last
                    complete -C "$line" | string split --fields 1 \\t
                    # It fails where it splits nothing.
                    true
                    """,
                ]
            default:
                return ["zsh", "-f", "-c", zsh]
            }
        }

        /// A zsh in a terminal of its own completes the line; the caught proposals stand between two NULs.
        private static let zsh = #"""
            zmodload zsh/zpty
            program=$0
            zpty shell zsh -f -i
            start() { zpty -w shell "$1" }
            start 'PROMPT= RPROMPT=; setopt no_beep; unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste'
            start "fpath=(/usr/share/zsh/functions/Completion/*(N/) \$fpath); autoload -Uz compinit && compinit -u -D"
            start "source <($program --completions zsh)"
            cat >"$HOME/catch" <<'END'
            bindkey '^I' complete-word
            mark() { print -rn -- $'\0' }
            compprefuncs=(mark)
            comppostfuncs=(mark)
            compadd() {
                if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
                    builtin compadd "$@"
                    return
                fi
                local -a caught
                builtin compadd -A caught "$@"
                (( $#caught )) && print -rl -- $caught
                builtin compadd "$@"
            }
            print READY
            END
            start 'source $HOME/catch'
            while zpty -r shell line; do [[ $line == READY* ]] && break; done
            zpty -w -n shell "${program:t} ${(j: :)${(@q)@[1,-2]}} $@[-1]"$'\t'
            zpty -r shell before $'*\0'
            zpty -r shell caught $'*\0'
            print -r -- "${${caught%$'\0'}//$'\r'/}"
            zpty -d shell
            """#

        private static func hasShell(_ shell: String) -> Bool {
            ["/bin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + shell) }
        }

        /// Those that this machine has; bash always.
        private static let shells = ["bash"] + ["fish", "zsh"].filter(hasShell)

        @Test(arguments: shells)
        func `a command's beginning is completed, and a line's beginning offers every command`(_ shell: String)
            async throws
        {
            let folder = try Folder()
            for program in ShippedProgram.all {
                let commands = Set(try await program.commands().map { $0.split(separator: " ")[0] }.map(String.init))
                #expect(commands.isEmpty == (program.name == "sealedpush-sidecar"))
                guard !commands.isEmpty else { continue }
                let all = try await Self.proposals(shell, program, [""], in: folder)
                #expect(all.isSuperset(of: commands), "\(shell) \(program.name): \(all)")
            }
            let sealedpush = ShippedProgram.all[0]
            #expect(try await Self.proposals(shell, sealedpush, ["ins"], in: folder) == ["inspect"])
            #expect(try await Self.proposals(shell, sealedpush, ["nonsense"], in: folder).isEmpty)
        }

        @Test(arguments: shells)
        func `every option of a command's help is offered, and no other`(_ shell: String) async throws {
            let folder = try Folder()
            for program in ShippedProgram.all {
                for (command, help) in try await program.helps() {
                    let line = command.split(separator: " ").map(String.init) + ["--"]
                    let offered = try await Self.proposals(shell, program, line, in: folder)
                        .map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }
                    var expected = ShippedProgram.options(in: help)
                    if command == "seal" { expected.insert("--lines") }
                    #expect(Set(offered) == expected, "\(shell): \(program.name) \(command)")
                }
            }
        }

        @Test(arguments: shells)
        func `values and operands are files, folders or the words that the help has`(_ shell: String) async throws {
            let folder = try Folder()
            try folder.write("a file.json", "{}")
            _ = try folder.makeFolder("a folder")
            let (sealedpush, relay) = (ShippedProgram.all[0], ShippedProgram.all[3])
            func offered(_ program: ShippedProgram, _ line: String...) async throws -> Set<String> {
                Set(
                    try await Self.proposals(shell, program, line, in: folder)
                        .map { $0.replacing("\\", with: "").trimmingSuffix("/") }
                )
            }
            #expect(try await offered(sealedpush, "simulate", "--profile", "") == ["apple", "spec"])
            #expect(try await offered(sealedpush, "keygen", "se") == ["sender"])
            #expect(try await offered(sealedpush, "attachment", "up") == ["upload"])
            #expect(try await offered(sealedpush, "seal", "--out", "a").contains("a file.json"))
            #expect(try await offered(sealedpush, "inspect", "a").contains("a file.json"))
            #expect(try await offered(sealedpush, "seal", "--pins", "a") == ["a folder"])
            #expect(try await offered(sealedpush, "seal", "--lifetime", "").isEmpty)
            // A command behind an option with its value.
            #expect(try await offered(relay, "--config", "a file.json", "int") == ["integrity"])
            #expect(try await offered(relay, "acknowledge-restore", "") == ["send", "drop"])
        }

        @Test func `bash completes a value behind an equals sign`() async throws {
            let folder = try Folder()
            let sealedpush = ShippedProgram.all[0]
            for line in [["simulate", "--profile", "="], ["simulate", "--profile", "=", "sp"]] {
                let offered = try await Self.proposals("bash", sealedpush, line, in: folder)
                #expect(offered.contains("spec"), "\(line): \(offered)")
            }
            let behind = ["simulate", "--profile", "=", "spec", "--env"]
            #expect(try await Self.proposals("bash", sealedpush, behind, in: folder) == ["--environment"])
        }

        @Test(arguments: ShippedProgram.all)
        func `an unknown shell is wrong usage`(_ program: ShippedProgram) async throws {
            let run = try await program.run(["--completions", "tcsh"])
            #expect(run.end != .exit(0) && run.error.contains("--completions takes bash, zsh or fish"), "\(run)")
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
