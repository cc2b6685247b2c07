import Platform

/// Files in which the two canaries of a pair were found: each must have one length.
struct FileComparison {
    private(set) var hasPairs = false
    private(set) var differences: [AuditReport.Evidence] = []

    init(_ set: CanarySet, _ paths: [String]) throws(AuditError) {
        let names = Set(set.files.flatMap { [$0.short, $0.long] })
        let canaries = set.canaries.filter { names.contains($0.name) }
        guard !canaries.isEmpty else { return }
        var reader = SourceReader(NeedleSearch(canaries))
        var byteCounts: [String: UInt64] = [:]
        for path in paths {
            var found: Set<String> = []
            let byteCount = try reader.readFile(path) { needle, _ in found.insert(canaries[needle.canary].name) }
            // A file with more than one, such as a database, says nothing.
            if found.count == 1, let name = found.first { byteCounts[name] = byteCount }
        }
        for pair in set.files {
            guard let short = byteCounts[pair.short], let long = byteCounts[pair.long] else { continue }
            hasPairs = true
            guard short != long else { continue }
            let what = "\(pair.short) is in a file of \(short) bytes, \(pair.long) in one of \(long)"
            differences.append(AuditReport.Evidence(what: what, place: "its files", offset: nil))
        }
    }
}
