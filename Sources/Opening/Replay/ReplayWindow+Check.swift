extension ReplayWindow {
    /// Checks every row and id. Operations check only pages that they touch. Only the app may replace a damaged window,
    /// or the extension could refuse a damaged page's messages forever.
    ///
    /// The extension waits for one page at most.
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
        // Every operation checks the first page; a damaged sweep restarts.
        default: break
        }
    }
}
