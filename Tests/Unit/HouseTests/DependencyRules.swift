/// Agreement of manifest and architecture.md, and servers that cannot decrypt.
enum DependencyRules {
    /// Targets that are deployed as a server, or stand in for Apple's.
    static let servers = [
        "APNS", "Networking", "HTTP", "DeviceLink", "APNSProvider", "APNSSimulator", "BlobStore", "PushStore",
        "PostgreSQL", "PostgreSQLStore", "ServiceParts",
        "PushService", "sealedpush-blobs", "sealedpushd",
    ]
    /// Targets that hold private prekeys, or open with them.
    static let decrypting: Set = ["Opening", "HPKE", "WebPush"]

    /// Every dependency is one that the table allows, and every target has its row.
    static func check(_ manifest: Manifest, against table: ArchitectureTable) -> [Finding] {
        manifest.targets.filter(\.isOurs).flatMap { target -> [Finding] in
            func finding(_ problem: String) -> Finding {
                Finding(path: manifest.path, line: target.line, problem: problem)
            }
            guard table.row(target.name) != nil else {
                return [finding("\(target.name) has no row in \(table.path); add what it does and uses")]
            }
            return target.dependencies.compactMap { name in
                guard let dependency = manifest.target(name) else {
                    return finding("\(target.name) depends on \(name), which is no target of this package")
                }
                let allowed =
                    dependency.isC ? table.allowedCModules(target.name) : table.allowedTargets(target.name)
                if allowed.contains(name) { return nil }
                return finding(
                    "\(target.name) depends on \(name), which its row in \(table.path) does not allow; "
                        + "use what the row names, or change the row and say why"
                )
            }
        }
    }

    /// Every row is a target, but for awaited ones; and each use is a row, a C module or Foundation.
    static func check(_ table: ArchitectureTable, against manifest: Manifest, awaited: Set<String>) -> [Finding] {
        table.rows.flatMap { row -> [Finding] in
            var findings: [Finding] = []
            if manifest.target(row.target) == nil, !awaited.contains(row.target) {
                let problem = "\(row.target) is not in \(manifest.path); remove the row or add the target"
                findings.append(Finding(path: table.path, line: row.line, problem: problem))
            }
            let known = Set(table.rows.map(\.target)).union(ArchitectureTable.cModules.values).union(["Foundation"])
            findings += row.uses.filter { !known.contains($0) }.map { name in
                Finding(
                    path: table.path,
                    line: row.line,
                    problem: "\(row.target) uses '\(name)', which is neither a row nor a C library; name one"
                )
            }
            return findings
        }
    }

    /// A second manifest that builds the same folders declares the same of them.
    static func check(_ modules: [String: Set<String>], of path: String, against manifest: Manifest) -> [Finding] {
        modules.sorted { $0.key < $1.key }.compactMap { name, uses in
            guard uses != Set(manifest.target(name)?.dependencies ?? []) else { return nil }
            return Finding(path: path, line: 1, problem: "\(name) is not declared as in \(manifest.path); copy its row")
        }
    }

    /// Stand-ins that replace what a module has on Linux alone.
    static let standIns: Set = ["AppleFoundation", "CryptoKit", "DarwinStandIn", "Security"]

    /// The manifest that builds Apple's branches differs in these and in C libraries, and in modules that it leaves out.
    static func checkAppleSide(
        _ modules: [String: Set<String>],
        of path: String,
        against manifest: Manifest
    ) -> [Finding] {
        modules.sorted { $0.key < $1.key }.compactMap { name, uses in
            let expected = Set(manifest.target(name)?.dependencies ?? []).intersection(modules.keys)
            let own = uses.intersection(modules.keys).subtracting(standIns.subtracting(expected))
            guard manifest.target(name) == nil || own != expected else { return nil }
            return Finding(path: path, line: 1, problem: "\(name) is not declared as in \(manifest.path); copy its row")
        }
    }

    /// "The relay cannot decrypt" is a property of the manifest.
    static func checkServers(of manifest: Manifest) -> [Finding] {
        servers.compactMap { manifest.target($0) }.flatMap { server in
            manifest.reachable(from: server.name).intersection(decrypting).sorted().map { name in
                Finding(
                    path: manifest.path,
                    line: server.line,
                    problem: "\(server.name) reaches \(name), and no server may; take what it needs from another target"
                )
            }
        }
    }
}
