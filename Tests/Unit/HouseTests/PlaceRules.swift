/// Places of code: files are named after their types, and a module's folders use each other one way.
enum PlaceRules {
    /// A file is named after a type that it declares or, with a `+` and the purpose, extends. Free functions, constants
    /// and aliases alone may have any name.
    static func checkNames(_ file: TextFile) -> [Finding] {
        let name = file.path.split(separator: "/").last.map { $0.dropLast(".swift".count) } ?? ""
        let parts = name.split(separator: "+", maxSplits: 1)
        let declared = declarations(of: file)
        guard let first = parts.first, declared.contains(where: { !$0.isAlias }) else { return [] }
        let wanted = declared.filter { parts.count > 1 || !$0.isExtension }.map(\.name)
        if wanted.contains(where: { $0.split(separator: ".").contains(first) }) { return [] }
        let problem =
            parts.count == 1 && declared.allSatisfy(\.isExtension)
            ? "it only extends \(declared[0].name); name it \(declared[0].name)+Purpose.swift"
            : "no type '\(first)' is in it; name it after its main type, such as \(declared[0].name).swift"
        return [Finding(path: file.path, line: 1, problem: problem)]
    }

    /// The folders of one module have no cycle. Its files outside of folders join them, and do not count.
    ///
    /// - Parameter module: its folder, such as `Sources/PushStore`.
    static func checkFolders(_ files: [TextFile], of module: String) -> [Finding] {
        let placed = files.compactMap { file -> (folder: String, file: TextFile)? in
            let steps = file.path.dropFirst(module.count + 1).split(separator: "/")
            return steps.count > 1 ? (String(steps[0]), file) : nil
        }
        var homes: [String: String] = [:]
        for (folder, file) in placed {
            for declaration in declarations(of: file) where !declaration.isExtension {
                homes[declaration.name] = homes[declaration.name] ?? folder
            }
        }
        var uses: [String: [String: String]] = [:]
        for (folder, file) in placed {
            for name in names(in: file) {
                guard let home = homes[name], home != folder else { continue }
                let file = file.path.split(separator: "/").last ?? ""
                uses[folder, default: [:]][home] = uses[folder]?[home] ?? "\(name) in \(file)"
            }
        }
        return uses.keys.sorted().flatMap { folder in
            uses[folder, default: [:]].sorted { $0.key < $1.key }.compactMap { home, use in
                guard reachable(from: home, uses).contains(folder) else { return nil }
                let problem =
                    "\(folder) uses \(home) (\(use)), which leads back to it; move the type to the lower folder"
                return Finding(path: module, line: 1, problem: problem)
            }
        }
    }

    /// A module's README: at most 25 lines, with the same permitted imports as the manifest.
    static func checkReadme(_ readme: TextFile, of target: String, imports: [String]) -> [Finding] {
        var findings: [Finding] = []
        let count = readme.lines.count - (readme.text.hasSuffix("\n") ? 1 : 0)
        if count > 25 {
            findings.append(Finding(path: readme.path, line: 26, problem: "\(count) lines, and 25 are the most"))
        }
        let line = "Imports: " + (imports.isEmpty ? "nothing of ours." : imports.sorted().joined(separator: ", ") + ".")
        if !readme.text.replacing("\n", with: " ").contains(line) {
            findings.append(Finding(path: readme.path, line: 1, problem: "say what \(target) may import: '\(line)'"))
        }
        return findings
    }

    /// Swift files that a module's README names between backticks: they are in the module.
    ///
    /// - Parameter files: their paths from the module's folder.
    static func checkNamedFiles(_ readme: TextFile, in files: [String]) -> [Finding] {
        readme.lines.flatMap { number, line in
            line.split(separator: "`").filter { $0.hasSuffix(".swift") && !$0.contains(" ") }.compactMap { name in
                guard !files.contains(where: { $0 == name || $0.hasSuffix("/" + name) }) else { return nil }
                return Finding(path: readme.path, line: number, problem: "there is no \(name); give its new name")
            }
        }
    }

    private static func reachable(from start: String, _ uses: [String: [String: String]]) -> Set<String> {
        var found: Set<String> = []
        var open = [start]
        while let folder = open.popLast() {
            if found.insert(folder).inserted { open += uses[folder, default: [:]].keys }
        }
        return found
    }

    private struct Declaration {
        let name: String
        let keyword: Substring
        var isExtension: Bool { keyword == "extension" }
        var isAlias: Bool { keyword == "typealias" }
    }

    /// Declarations of a file's own level: a line that begins with one.
    private static func declarations(of file: TextFile) -> [Declaration] {
        SwiftText(file.text).codeLines.compactMap { _, line in
            guard line.first?.isWhitespace == false else { return nil }
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." && $0 != "@" }
            guard let index = words.firstIndex(where: keywords.contains), words.indices.contains(index + 1) else {
                return nil
            }
            return Declaration(name: String(words[index + 1]), keyword: words[index])
        }
    }

    private static let keywords: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "extension",
    ]

    /// Words with a capital that do not follow a period: a nested type belongs to its outer one.
    private static func names(in file: TextFile) -> Set<String> {
        Set(
            SwiftText(file.text).codeLines.flatMap { _, line in
                line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
            }
            .compactMap { word in
                word.first?.isUppercase == true ? word.split(separator: ".").first.map(String.init) : nil
            }
        )
    }
}
