/// The targets of Package.swift, read as text: the package manager would take its lock from the run that tests.
///
/// Strict on purpose. Anything that the house's manifest does not need (dependencies that are not plain names,
/// packages, conditions, computed names) is an error, so that no dependency can hide from the rules.
struct Manifest {
    struct Target: Equatable {
        enum Kind { case module, executable, tests, testSupport, stranger, library, c }

        let name: String
        let kind: Kind
        let dependencies: [String]
        /// From the root of the checkout.
        let path: String
        let line: Int

        /// True if the rules of architecture.md apply to it.
        var isOurs: Bool { kind == .module || kind == .executable }
        var isC: Bool { kind == .library || kind == .c }
    }

    let path: String
    let targets: [Target]

    init(_ file: TextFile) throws(Finding) {
        path = file.path
        var tokens = try ManifestTokens(file)
        try tokens.skipDeclarations()
        var targets: [Target] = []
        while let call = try tokens.nextCall() {
            // Their arguments are read in turn; their possible contents are in this list too.
            if ["Package", ".macOS", ".iOS", "dropPostgreSQL"].contains(call.name) { continue }
            if [".library", ".executable"].contains(call.name) {
                _ = try tokens.arguments()
                continue
            }
            let target = try Self.target(call, try tokens.arguments(), path: file.path)
            guard !targets.contains(where: { $0.name == target.name }) else {
                throw Finding(path: file.path, line: call.line, problem: "\(target.name) is declared twice")
            }
            targets.append(target)
        }
        self.targets = targets
    }

    /// Dependencies of each `module` of a manifest: the fuzz targets' own has calls beside them that no rule is about.
    static func modules(of file: TextFile) throws(Finding) -> [String: Set<String>] {
        var tokens = try ManifestTokens(file)
        try tokens.skipDeclarations()
        var modules: [String: Set<String>] = [:]
        while let call = try tokens.nextCall() {
            guard call.name == "module" else { continue }
            let target = try target(call, try tokens.arguments(), path: file.path)
            modules[target.name] = Set(target.dependencies)
        }
        return modules
    }

    func target(_ name: String) -> Target? { targets.first { $0.name == name } }

    /// Targets that `name` depends on, directly or not.
    func reachable(from name: String) -> Set<String> {
        closure(of: [name]) { target($0)?.dependencies ?? [] }.subtracting([name])
    }

    private static func target(
        _ call: ManifestTokens.Call,
        _ arguments: ManifestTokens.Arguments,
        path: String
    ) throws(Finding) -> Target {
        func wrong(_ problem: String) -> Finding { Finding(path: path, line: call.line, problem: problem) }
        let isHelper = !call.name.hasPrefix(".")
        guard let name = isHelper ? arguments.unlabelled.first : arguments.labelled["name"]?.first else {
            throw wrong("\(call.name) has no name; give it as a plain string")
        }
        let place = arguments.labelled["path"]?.first ?? "Sources/\(name)"
        // A dependency on one platform alone counts like the rest.
        let dependencies =
            isHelper
            ? Array(arguments.unlabelled.dropFirst()) + (arguments.labelled["onLinux"] ?? [])
            : arguments.labelled["dependencies"] ?? []
        let kind: Target.Kind
        switch call.name {
        case "module": kind = .module
        case "tests":
            return Target(
                name: name,
                kind: .tests,
                dependencies: dependencies + ["TestSupport"]
                    + (arguments.words["onBothEngines"] == nil
                        ? [] : ["PostgreSQL", "PostgreSQLServers", "PostgreSQLStore"]),
                path: "Tests/\(arguments.labelled["folder"]?.first ?? "Unit")/\(name)",
                line: call.line
            )
        case "stranger": kind = .stranger
        case "library": kind = .library
        case ".executableTarget" where place.hasPrefix("Tests/") && arguments.words["swiftSettings"] == "house":
            kind = .testSupport
        case ".executableTarget" where ["house", "houseOfEngines"].contains(arguments.words["swiftSettings"]):
            kind = .executable
        case ".target" where place.hasPrefix("Tests/") && arguments.words["swiftSettings"] == "house":
            kind = .testSupport
        case ".target" where place.hasPrefix("Benchmarks/") && arguments.words["swiftSettings"] == "house":
            kind = .module
        case ".target" where arguments.words["swiftSettings"] == nil: kind = .c
        default:
            throw wrong(
                "\(call.name) is not how this manifest declares \(name); use module(...), tests(...) or `house`"
            )
        }
        return Target(name: name, kind: kind, dependencies: dependencies, path: place, line: call.line)
    }
}

/// Everything that can be reached from `start`, itself included.
func closure(of start: some Sequence<String>, _ next: (String) -> [String]) -> Set<String> {
    var reached: Set<String> = []
    var open = Array(start)
    while let name = open.popLast() {
        if reached.insert(name).inserted { open += next(name) }
    }
    return reached
}
