import Audit
import CommandLineTool
import Glibc
import Keys
import Platform

/// Copies of what parties held: a folder for each, and the canaries.
struct AuditFolder {
    private static let byteCountMax = 1 << 30
    private static let canariesFile = "canaries.json"

    let path: String

    func write(_ bytes: [UInt8], _ party: Party, _ name: String) throws(CommandError) {
        let folder = "\(path)/\(party.rawValue)"
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .file(.system(call: "mkdir", path: folder, code: errno))
        }
        do throws(FileError) {
            try WholeFile.write(bytes, to: "\(folder)/\(name)", access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }

    func copyFile(_ source: String, _ party: Party, _ name: String) throws(CommandError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(source, byteCountMax: Self.byteCountMax)
        } catch {
            throw .file(error)
        }
        try write(bytes, party, name)
    }

    /// - Parameter onlyLocked: Leaves out what a phone cannot read before its first unlock.
    func copyFolder(_ source: String, _ party: Party, onlyLocked: Bool = false) throws(CommandError) {
        let files: [String]
        do throws(AuditError) { files = try HeldFiles.paths(at: source, of: party) } catch {
            throw .failed(error.sentence)
        }
        for file in files {
            let name = String(file.dropFirst(source.count + 1))
            guard !onlyLocked || Self.isReadableLocked(name, below: source) else { continue }
            try copyFile(file, party, String(name.map { $0 == "/" ? "⁄" : $0 }))
        }
    }

    /// By the file's class, or the nearest folder's.
    private static func isReadableLocked(_ name: String, below root: String) -> Bool {
        var place = name
        while true {
            if case .marked(let protection) = FileProtection.find(at: root + "/" + place) {
                return protection == .always
            }
            guard let slash = place.lastIndex(of: "/") else { return false }
            place = String(place[..<slash])
        }
    }

    func write(_ set: CanarySet) throws(CommandError) {
        do throws(FileError) {
            try WholeFile.write(set.json, to: "\(path)/\(Self.canariesFile)", access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }

    func canaries() throws(CommandError) -> CanarySet {
        let file = "\(path)/\(Self.canariesFile)"
        do {
            return try CanarySet(json: try WholeFile.read(file, byteCountMax: 1 << 20))
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .failed("\(TerminalText.safe(file)): not a file of canaries that 'audit --keep' wrote")
        }
    }

    /// A source for each party that has a folder.
    var sources: [(party: Party, source: Source)] {
        Party.allCases.compactMap { party in
            let folder = "\(path)/\(party.rawValue)"
            return unsafe access(folder, F_OK) == 0 ? (party, .path(folder)) : nil
        }
    }
}
