extension Completions {
    var fish: String {
        """
        # Completions of fish for \(program.name), made from its options.
        # For config.fish: \(program.name) --completions fish | source
        function _\(function)_command
            set -l words (commandline -opc)
            set -e words[1]
            switch "$words[1] $words[2]"
                case \(pattern(pairs, separator: " "))
                    echo "$words[1] $words[2]"
                    return
            end
            set -l skips 0
            for word in $words
                if test $skips = 1
                    set skips 0
                    continue
                end
                switch $word
                    case \(pattern(valued, separator: " "))
                        set skips 1
                    case '-*'
                    case '*'
                        echo $word
                        return
                end
            end
        end
        function _\(function)_is
            set -l command (_\(function)_command)
            test "$command" = "$argv[1]"
        end
        complete -c \(program.name) -f
        \(commands.flatMap(fishCommand).joined(separator: "\n"))
        """
    }

    private func fishCommand(_ command: CommandTable) -> [String] {
        let start = "complete -c \(program.name) -n \"_\(function)_is '\(command.name)'\""
        var lines = options(of: command).map { option in
            let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
            let value =
                switch option.proposal {
                case _ where option.value == nil: ""
                case .files: " -r -F"
                case .folders: " -x -a '(__fish_complete_directories)'"
                case .words(let words): " -x -a '\(words.joined(separator: " "))'"
                case .nothing: " -x"
                }
            return "\(start)\(short) -l \(option.name.dropFirst(2))\(value) -d '\(Self.escaped(option.sentence))'"
        }
        if command.name.isEmpty {
            lines += firstWords.map { "\(start) -a \($0.word) -d '\(Self.escaped($0.summary))'" }
        } else {
            let words = followers(of: command)
            if !words.isEmpty { lines.append("\(start) -a '\(words.joined(separator: " "))'") }
            if takesFiles(command) { lines.append("\(start) -F") }
        }
        return lines
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}
