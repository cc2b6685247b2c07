import Platform

/// Searches what parties hold for the canaries, and judges each cell by its claim.
package struct Auditor {
    private static let evidenceMax = 4

    private let set: CanarySet
    private let search: NeedleSearch
    /// A run of all parts, in which some cells must be found.
    private let isComplete: Bool

    private struct Found: Hashable {
        let asset: Asset
        let party: Party
    }

    package init(_ set: CanarySet, isComplete: Bool) {
        self.set = set
        search = NeedleSearch(set.canaries)
        self.isComplete = isComplete
    }

    /// - Parameter unread: parties whose holdings could not be copied, each with the reason.
    package func audit(
        _ sources: [(party: Party, source: Source)],
        unread: [Party: String] = [:]
    ) -> AuditReport {
        var found: [Found: [AuditReport.Evidence]] = [:]
        var extents: [AuditReport.Extent] = []
        for party in Party.allCases {
            let own = sources.filter { $0.party == party }.map(\.source)
            guard !own.isEmpty || unread[party] != nil else { continue }
            var extent = AuditReport.Extent(party: party, unread: unread[party])
            do throws(AuditError) {
                try look(party, own, &extent, &found)
                let differences = try compare(party, own, &extent)
                if !differences.isEmpty { found[Found(asset: .length, party: party)] = differences }
            } catch {
                extent.unread = error.sentence
            }
            extents.append(extent)
        }
        let cells = extents.flatMap { extent in Asset.allCases.map { cell($0, extent, found) } }
        return AuditReport(cells: cells, extents: extents, needleCount: search.needleCount)
    }

    private func look(
        _ party: Party,
        _ sources: [Source],
        _ extent: inout AuditReport.Extent,
        _ found: inout [Found: [AuditReport.Evidence]]
    ) throws(AuditError) {
        var reader = SourceReader(search)
        for source in sources {
            switch source {
            case .process(let id):
                extent.sourceCount += 1
                extent.byteCount += try reader.readMemory(of: id) { needle, address in
                    note(needle, party, source.text, address, &found)
                }
            case .path(let root):
                for path in try HeldFiles.paths(at: root, of: party) {
                    extent.sourceCount += 1
                    // A file's name can hold a canary too. The folder's own path is its user's.
                    let name = path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : ""
                    reader.readText(name) { needle, _ in note(needle, party, "name of \(path)", nil, &found) }
                    extent.byteCount += try reader.readFile(path) { needle, offset in
                        note(needle, party, path, offset, &found)
                    }
                }
            }
        }
    }

    private func note(
        _ needle: NeedleSearch.Needle,
        _ party: Party,
        _ place: String,
        _ offset: UInt64?,
        _ found: inout [Found: [AuditReport.Evidence]]
    ) {
        let canary = set.canaries[needle.canary]
        let what = "\(canary.name), \(needle.form.rawValue)"
        let key = Found(asset: canary.asset, party: party)
        guard found[key, default: []].count < Self.evidenceMax,
            !found[key, default: []].contains(where: { $0.what == what && $0.place == place })
        else { return }
        found[key, default: []].append(AuditReport.Evidence(what: what, place: place, offset: offset))
    }

    private func compare(
        _ party: Party,
        _ sources: [Source],
        _ extent: inout AuditReport.Extent
    ) throws(AuditError) -> [AuditReport.Evidence] {
        var paths: [String] = []
        for case .path(let root) in sources { paths += try HeldFiles.paths(at: root, of: party) }
        if party.hasRecords {
            var comparison = RecordComparison(set.records)
            for path in paths { try comparison.read(path) }
            extent.hasLengths = comparison.hasPairs
            return comparison.differences
        }
        let comparison = try FileComparison(set, paths)
        extent.hasLengths = comparison.hasPairs
        return comparison.differences
    }

    private func cell(
        _ asset: Asset,
        _ extent: AuditReport.Extent,
        _ found: [Found: [AuditReport.Evidence]]
    ) -> AuditReport.Cell {
        let evidence = found[Found(asset: asset, party: extent.party)] ?? []
        let isSearched = asset == .length ? extent.hasLengths : set.canaries.contains { $0.asset == asset }
        let verdict: AuditReport.Verdict
        switch Claim.of(asset, extent.party) {
        case .never where !evidence.isEmpty: verdict = .leak
        case _ where !evidence.isEmpty: verdict = .permitted
        case _ where !isSearched || extent.unread != nil: verdict = .unknown
        case .expected where isComplete: verdict = .missing
        default: verdict = .absent
        }
        return AuditReport.Cell(asset: asset, party: extent.party, verdict: verdict, evidence: evidence)
    }
}

extension AuditError {
    /// Says what failed and why; the caller adds what to do.
    package var sentence: String {
        switch self {
        case .system(let call, let path, let code): "\(path): \(call): \(Self.text(code))"
        case .shortCanary(let name): "the canary '\(name)' has fewer than \(Canary.byteCountMin) bytes"
        case .malformedCanaries: "not a file of canaries that 'audit --keep' wrote"
        }
    }

    private static func text(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
