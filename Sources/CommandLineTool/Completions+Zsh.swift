extension Completions {
    var zsh: String {
        """
        #compdef \(program.name)
        # Completions of zsh for \(program.name), made from its options.
        # For ~/.zshrc, after compinit: source <(\(program.name) --completions zsh)
        \(function)() {
            local command= context state line
            local -a verbs
            local -A opt_args
            integer i start=2
            if (( CURRENT > 3 )); then
                case "$words[2] $words[3]" in
                    \(pattern(pairs))) command="$words[2] $words[3]" start=4 ;;
                esac
            fi
            if [[ -z $command ]]; then
                for (( i = 2; i < CURRENT; i++ )); do
                    case $words[i] in
                        \(pattern(valued))) (( i++ )) ;;
                        -*) ;;
                        *) command=$words[i] start=$(( i + 1 )); break ;;
                    esac
                done
            fi
            if [[ -n $command ]]; then
                words=("$words[1] $command" "${(@)words[start,-1]}")
                (( CURRENT -= start - 2 ))
            fi
            case $command in
        \(commands.map(zshCommand).joined(separator: "\n"))
            esac
        }
        if [[ $funcstack[1] == \(function) ]]; then
            \(function) "$@"
        else
            compdef \(function) \(program.name)
        fi
        """
    }

    private func zshCommand(_ command: CommandTable) -> String {
        var lines = options(of: command).flatMap(zshOption)
        let verbs = command.name.isEmpty ? firstWords : []
        if !verbs.isEmpty {
            lines.append("'1:command:->verbs'")
        } else {
            let words = followers(of: command)
            if !words.isEmpty { lines.append("'1:operand:(\(words.joined(separator: " ")))'") }
            if takesFiles(command) { lines.append("'*:file:_files'") }
        }
        var text = ["'\(command.name)')", "    _arguments \\"]
        text.append(lines.map { "        " + $0 }.joined(separator: " \\\n        "))
        if !verbs.isEmpty {
            text.append("    if [[ $state == verbs ]]; then")
            text.append("        verbs=(")
            text += verbs.map { "            '\(Self.escaped($0.word)):\(Self.escaped($0.summary))'" }
            text += ["        )", "        _describe command verbs", "    fi"]
        }
        return (text + ["    ;;"]).map { "        " + $0 }.joined(separator: "\n")
    }

    private func zshOption(_ option: Option) -> [String] {
        option.names.map { name in
            let others = option.names.count > 1 ? "(\(option.names.joined(separator: " ")))" : ""
            let action =
                switch option.proposal {
                case .files: "_files"
                case .folders: "_files -/"
                case .words(let words): "(\(words.joined(separator: " ")))"
                case .nothing: " "
                }
            let value = option.value.map { ":\(Self.escaped($0)):\(action)" } ?? ""
            let equals = option.value != nil && name.hasPrefix("--") ? "=" : ""
            return "'\(option.isRepeatable ? "*" : others)\(name)\(equals)[\(Self.escaped(option.sentence))]\(value)'"
        }
    }

    /// Text within a specification in quotes.
    private static func escaped(_ text: String) -> String {
        var text = text
        for character in ["\\", "[", "]", ":"] { text = text.replacing(character, with: "\\" + character) }
        return text.replacing("'", with: "'\\''")
    }
}
