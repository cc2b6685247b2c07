extension Completions {
    var bash: String {
        """
        # Completions of bash for \(program.name), made from its options.
        # For ~/.bashrc: source <(\(program.name) --completions bash)
        \(function)() {
            local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
            local command= options= first= operands=nothing values= word
            local -i i start=1 count=0
            COMPREPLY=()
            # bash cuts words at "=".
            if [[ $cur == = ]]; then
                cur=
            elif [[ $prev == = ]]; then
                prev=${COMP_WORDS[COMP_CWORD-2]}
            fi
            if ((COMP_CWORD > 2)); then
                case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
                    \(pattern(pairs))) command="${COMP_WORDS[1]} ${COMP_WORDS[2]}" start=3 ;;
                esac
            fi
            for ((i = start; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                case $word in
                    =) i+=1 ;;
                    \(pattern(valued))) [[ ${COMP_WORDS[i+1]} == = ]] || i+=1 ;;
                    -*) ;;
                    *) if [[ $command ]]; then count+=1; else command=$word; fi ;;
                esac
            done
            case $command in
        \(commands.map(bashCommand).joined(separator: "\n"))
            esac
            case "$command $prev" in
        \(commands.flatMap(bashValues).joined(separator: "\n"))
            esac
            if [[ ! $values ]]; then
                if [[ $cur == -* ]]; then
                    values=$options
                elif ((count == 0)) && [[ $first ]]; then
                    values=$first
                else
                    values=$operands
                fi
            fi
            case $values in
                nothing) ;;
                files)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    ;;
                folders)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                    ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur") ;;
            esac
        }
        complete -F \(function) \(program.name)
        """
    }

    private func bashCommand(_ command: CommandTable) -> String {
        let options = options(of: command).flatMap(\.names).joined(separator: " ")
        let first = (command.name.isEmpty ? firstWords.map(\.word) : followers(of: command)).joined(separator: " ")
        let operands = takesFiles(command) ? " operands=files" : ""
        return "        '\(command.name)') options='\(options)' first='\(first)'\(operands) ;;"
    }

    private func bashValues(_ command: CommandTable) -> [String] {
        options(of: command).filter { $0.value != nil }.map { option in
            let names = option.names.map { "'\(command.name) \($0)'" }.joined(separator: " | ")
            let values =
                switch option.proposal {
                case .files: "files"
                case .folders: "folders"
                case .words(let words): "'\(words.joined(separator: " "))'"
                case .nothing: "nothing"
                }
            return "        \(names)) values=\(values) ;;"
        }
    }
}
