extension ReplayWindow {
    /// Looks at every row and every id once. An operation sees no more than the pages that it touches, and only the app
    /// may replace a damaged window: without this it would not hear of the damage, and its extension would refuse the
    /// messages of those pages for ever.
    ///
    /// Page by page, so that the extension waits for one page at most.
    ///
    /// - Throws: `.damaged`; any other `ReplayWindowError`.
    package func check() throws(ReplayWindowError) {
        for page in 0..<WindowLayout.pageCount {
            try perform { core throws(ReplayWindowError) in try core.check(page: page) }
        }
    }
}

extension WindowCore {
    mutating func check(page number: Int) throws(ReplayWindowError) {
        try file.read(into: &page, at: WindowLayout.offset(ofPage: number))
        switch number {
        case WindowLayout.senderPages:
            for index in 0..<WindowLayout.rowsPerPage { _ = try SenderRow.read(page, at: index) }
        case WindowLayout.orderPages:
            for index in 0..<WindowLayout.rowsPerPage { _ = try OrderRow.read(page, at: index) }
        case WindowLayout.recordPages:
            for index in 0..<WindowLayout.recordsPerPage {
                guard try ReplayRecord.state(in: page, at: index) != .free else { continue }
                _ = try ReplayRecord(page: page, at: index)
            }
        // The first is checked by every operation; a sweep that is damaged is begun anew.
        default: break
        }
    }
}
