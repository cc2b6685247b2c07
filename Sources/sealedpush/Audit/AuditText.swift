import Audit
import CommandLineTool
import Envelope

/// Table "who can see what", with the evidence of each cell.
struct AuditText {
    private static let labelWidth = 14

    let report: AuditReport
    /// Left out in places below it.
    let folder: String

    /// At most 80 columns.
    var lines: [String] {
        [table, ""] + report.extents.flatMap(evidence) + [""] + legend
    }

    private var table: String {
        let parties = report.extents.map(\.party)
        let head = parties.map { " " + $0.head }.joined()
        let rows = Asset.allCases.map { asset in
            Self.pad(asset.rawValue, to: Self.labelWidth - 1)
                + parties.map { party in
                    let mark = report.cell(asset, party).map { Self.mark($0.verdict) } ?? ""
                    return " " + Self.pad(mark, to: party.head.count)
                }
                .joined()
        }
        let first = String(repeating: " ", count: Self.labelWidth - 1) + head
        return ([first] + rows).map(Self.trimmed).joined(separator: "\n")
    }

    private static func mark(_ verdict: AuditReport.Verdict) -> String {
        switch verdict {
        case .absent: "no"
        case .permitted: "yes"
        case .leak: "LEAK"
        case .missing: "LOST"
        case .unknown: "–"
        }
    }

    private func evidence(_ extent: AuditReport.Extent) -> [String] {
        let party = extent.party
        let count = extent.sourceCount == 1 ? "1 source" : "\(extent.sourceCount) sources"
        var lines = [
            Columns.wrapped("\(party.head): \(party.text); \(extent.byteCount) bytes in \(count)", indent: 4, lead: "")
        ]
        if let unread = extent.unread {
            let advice = party == .memory ? "; run as root, or under 'unshare --map-root-user'" : ""
            lines.append(Self.item("–", "not searched: \(TerminalText.safe(unread))\(advice)"))
        }
        for cell in report.cells where cell.party == party {
            guard let word = Self.word(cell.verdict) else { continue }
            let places = cell.evidence.prefix(2).map(place).joined(separator: "; ")
            lines.append(Self.item(word, "\(cell.asset.rawValue): \(places.isEmpty ? "must be there" : places)"))
        }
        let absent = report.cells.filter { $0.party == party && $0.verdict == .absent }.map(\.asset.rawValue)
        if !absent.isEmpty { lines.append(Self.item("no", absent.joined(separator: ", "))) }
        return lines
    }

    /// nil for cells that have a common line, or none.
    private static func word(_ verdict: AuditReport.Verdict) -> String? {
        switch verdict {
        case .absent, .unknown: nil
        case .permitted, .leak, .missing: mark(verdict)
        }
    }

    private func place(_ evidence: AuditReport.Evidence) -> String {
        let at = evidence.offset.map { " at \($0)" } ?? ""
        let place = short(evidence.place).split(separator: " ").map(Self.clipped).joined(separator: " ")
        return TerminalText.safe("\(evidence.what), in \(place)\(at)")
    }

    /// A name that fits into a line.
    private static func clipped(_ word: Substring) -> String {
        word.count > 64 ? "\(word.prefix(40))…\(word.suffix(20))" : String(word)
    }

    private func short(_ place: String) -> String {
        guard let found = place.firstRange(of: folder + "/") else { return place }
        return String(place[..<found.lowerBound] + place[found.upperBound...])
    }

    private static func item(_ mark: String, _ text: String) -> String {
        Columns.wrapped(text, indent: 7, lead: "  " + pad(mark, to: 4) + " ")
    }

    private var legend: [String] {
        let text =
            "\(report.needleCount) pieces of canaries were searched for, in each usual spelling. yes: as docs/security.md "
            + "says; LEAK: against it; LOST: not found where it rests; –: not searched. Not found: compressed or "
            + "encrypted copies, and pieces of less than 16 characters."
        return [Columns.wrapped(text)]
    }

    /// One object a line: cells, then the result.
    var json: [String] {
        report.cells.map { cell in
            Self.line { writer in
                writer.member("event", "cell")
                writer.member("asset", cell.asset.rawValue)
                writer.member("party", cell.party.rawValue)
                writer.member("verdict", Self.name(cell.verdict))
                writer.name("evidence")
                writer.array { writer in
                    for evidence in cell.evidence {
                        writer.object { writer in
                            writer.member("what", evidence.what)
                            writer.member("place", short(evidence.place))
                            if let offset = evidence.offset { writer.member("offset", offset) }
                        }
                    }
                }
            }
        } + [
            Self.line { writer in
                writer.member("event", "result")
                writer.member("faults", report.faults.count)
                writer.name("parties")
                writer.array { writer in
                    for extent in report.extents {
                        writer.object { writer in
                            writer.member("party", extent.party.rawValue)
                            writer.member("sources", extent.sourceCount)
                            writer.member("bytes", extent.byteCount)
                            if let unread = extent.unread { writer.member("unread", unread) }
                        }
                    }
                }
            }
        ]
    }

    private static func name(_ verdict: AuditReport.Verdict) -> String {
        switch verdict {
        case .absent: "no"
        case .permitted: "yes"
        case .leak: "leak"
        case .missing: "lost"
        case .unknown: "unknown"
        }
    }

    private static func line(_ members: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(members)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func trimmed(_ line: String) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }
}
