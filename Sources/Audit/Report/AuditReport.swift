/// Result of an audit: a cell for each asset and party, with its evidence.
package struct AuditReport: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Searched, and not found.
        case absent
        /// Found, as docs/security.md says.
        case permitted
        /// Found, and not permitted.
        case leak
        /// Not found where it rests: the search looked in the wrong place.
        case missing
        /// Not searched.
        case unknown
    }

    package struct Evidence: Sendable, Equatable {
        /// Such as "title of the short message, as base64".
        package let what: String
        /// File or process.
        package let place: String
        /// In the file, or an address; nil for a name or a length.
        package let offset: UInt64?
    }

    package struct Cell: Sendable {
        package let asset: Asset
        package let party: Party
        package let verdict: Verdict
        package let evidence: [Evidence]
    }

    /// Extent of the search of one party.
    package struct Extent: Sendable {
        package let party: Party
        package var sourceCount = 0
        package var byteCount: UInt64 = 0
        /// Reason why a source could not be read.
        package var unread: String?
        /// Lengths were compared.
        package var hasLengths = false
    }

    package let cells: [Cell]
    package let extents: [Extent]
    package let needleCount: Int

    package func cell(_ asset: Asset, _ party: Party) -> Cell? {
        cells.first { $0.asset == asset && $0.party == party }
    }

    /// Cells that contradict docs/security.md, or what the parts must have.
    package var faults: [Cell] { cells.filter { $0.verdict == .leak || $0.verdict == .missing } }
}
