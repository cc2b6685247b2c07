import Glibc

/// Manual page in mdoc.
///
/// - Source: mdoc(7), mandoc_char(7).
struct ManualPage {
    private let program: ProgramTable

    init(_ program: ProgramTable) { self.program = program }

    var text: String {
        let name = program.name
        var lines = [
            #".\" Made by: \#(name) --manual"#, ".Dd \(Self.date)", ".Dt \(name.uppercased()) \(program.manualSection)",
            ".Os", ".Sh NAME", ".Nm \(name)", ".Nd \(Self.word(program.summary))", ".Sh SYNOPSIS",
        ]
        lines += program.commands.flatMap(Self.synopsis)
        lines += [".Nm", ".Fl -version | Fl -help | Fl -manual", ".Nm", ".Fl -completions", ".Cm bash | zsh | fish"]
        lines += [".Sh DESCRIPTION"] + Self.paragraphs(program.text)
        if let own = program.own { lines += Self.options(own.options) + Self.paragraphs(own.text, isFirst: false) }
        lines += [".Pp", "Options of the program alone:"] + Self.options(ProgramTable.ownOptions)
        if !program.named.isEmpty { lines.append(".Sh COMMANDS") }
        for command in program.named {
            lines += [".Ss \(Self.word(command.name))", ".Nm"] + Self.call(command)
            lines += [".Pp", Self.line(Self.sentence(command.summary))] + Self.options(command.options)
            lines += Self.paragraphs(command.text, isFirst: false)
        }
        for section in program.sections { lines += [".Sh \(section.title)"] + Self.rows(section.rows) }
        return lines.joined(separator: "\n")
    }

    private static func synopsis(_ command: CommandTable) -> [String] {
        // More would be no overview.
        let isShort = command.options.count < 5
        let options = command.options.filter { $0.isRequired || isShort }
            .map { $0.isRequired ? ".\(spelling($0))" : ".Op \(spelling($0))" }
        return [".Nm"] + call(command) + options + (isShort ? [] : [".Op Ar options"])
    }

    private static func call(_ command: CommandTable) -> [String] {
        let name = command.name.split(separator: " ").map { ".Cm \(word(String($0)))" }
        return name
            + command.operandWords.map { operand in
                operand == "|" ? operand : (operand.first?.isLowercase == true ? ".Cm " : ".Ar ") + word(operand)
            }
    }

    private static func options(_ options: [Option]) -> [String] {
        guard !options.isEmpty else { return [] }
        let items = options.flatMap { option in
            let names = option.names.map { "Fl \(word(String($0.dropFirst())))" }.joined(separator: " , ")
            return [".It \(names)\(value(option))", line(sentence(option.sentence))]
        }
        return [".Bl -tag -width Ds"] + items + [".El"]
    }

    private static func spelling(_ option: Option) -> String {
        "Fl \(word(String(option.name.dropFirst())))\(value(option))"
    }

    private static func value(_ option: Option) -> String { option.value.map { " Ar \(word($0))" } ?? "" }

    private static func rows(_ rows: [(term: String, text: String)]) -> [String] {
        let terms = rows.filter { !$0.term.isEmpty }
        let items = terms.flatMap { [".It \(word($0.term))"] + paragraphs($0.text) }
        return (items.isEmpty ? [] : [".Bl -tag -width Ds"] + items + [".El"])
            + rows.filter(\.term.isEmpty).enumerated().flatMap { index, row in
                paragraphs(row.text, isFirst: index == 0 && terms.isEmpty)
            }
    }

    /// - Parameter isFirst: false behind something else.
    private static func paragraphs(_ text: String, isFirst: Bool = true) -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for block in Columns.blocks(of: text) {
            if case .verbatim(let text) = block {
                if !isVerbatim { lines.append(".Bd -literal -offset indent") }
                isVerbatim = true
                lines.append(line(String(text.drop { $0 == " " }), isVerbatim: true))
                continue
            }
            if isVerbatim { lines.append(".Ed") }
            isVerbatim = false
            guard case .paragraph(let text) = block else { continue }
            if !lines.isEmpty || !isFirst { lines.append(".Pp") }
            lines.append(line(text))
        }
        return lines + (isVerbatim ? [".Ed"] : [])
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Begins a line with each sentence.
    private static func line(_ text: String, isVerbatim: Bool = false) -> String {
        let text = isVerbatim ? text : text.replacing(". ", with: ".\n")
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in (line.first.map { ".'".contains($0) } == true ? #"\&"# : "") + escaped(line) }
            .joined(separator: "\n")
    }

    /// Argument of a macro: no macro or punctuation to it, nor cut at spaces.
    private static func word(_ text: String) -> String {
        let text = escaped(text[...]).replacing("\"", with: #"\(dq"#)
        return text.contains(" ") ? "\"\(text)\"" : text
    }

    private static func escaped(_ text: Substring) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += #"\e"#
            // Unescaped it may become a typographic hyphen, which no shell takes.
            case "-": escaped += #"\-"#
            case "'": escaped += #"\(aq"#
            case "^": escaped += #"\(ha"#
            case "~": escaped += #"\(ti"#
            case "`": escaped += #"\(ga"#
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped += #"\[u"# + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
    }

    /// Today, or the date of reproducible builds.
    ///
    /// - Source: https://reproducible-builds.org/specs/source-date-epoch/
    private static var date: String {
        let given = unsafe getenv("SOURCE_DATE_EPOCH").flatMap { unsafe time_t(String(cString: $0)) }
        var seconds = given ?? time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let (month, day, year) = unsafe (Int(parts.tm_mon), parts.tm_mday, 1900 + Int(parts.tm_year))
        return "\(months[month]) \(day), \(year)"
    }
}
