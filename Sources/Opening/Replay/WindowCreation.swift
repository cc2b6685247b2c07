import Envelope
private import Platform

/// Makes the file whole under another name, forces it to disk and renames it. Concurrent processes get the same file.
enum WindowCreation {
    private static let temporaryName = "replay-window.tmp"

    enum Existing { case keepIfIntact, replace }

    /// - Throws: `.locked`, `.full`, `.system`; the old file is then unchanged.
    static func create(
        in folder: String,
        identity: WindowIdentity,
        existing: Existing
    ) throws(ReplayWindowError) {
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw ReplayWindowError("open", code: errno) }
        defer { close(directory) }
        while flock(directory, LOCK_EX) != 0 {
            guard errno == EINTR else { throw ReplayWindowError("flock", code: errno) }
        }
        defer { _ = flock(directory, LOCK_UN) }
        let path = folder + "/" + WindowLayout.name
        if existing == .keepIfIntact, try isIntact(path) { return }

        // Remains of a killed process, since the lock is held.
        let temporary = folder + "/" + temporaryName
        unsafe unlink(temporary)
        let refusal = DeviceRules.refusal(of: .create(.untilFirstUnlock), at: temporary)
        if let code = refusal { throw ReplayWindowError("open", code: code) }
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ReplayWindowError("open", code: errno) }
        do throws(ReplayWindowError) {
            defer { close(descriptor) }
            let failure = FileProtection.untilFirstUnlock.set(on: descriptor)
            if let code = failure { throw ReplayWindowError("fcntl", code: code) }
            try writePages(to: descriptor, identity: identity)
            if let code = FileSync.ordered.force(descriptor) { throw ReplayWindowError("fsync", code: code) }
            try moveFolder(at: path, aside: path + "." + Base64URL.string(identity.id))
            guard unsafe rename(temporary, path) == 0 else { throw ReplayWindowError("rename", code: errno) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        // Some file systems refuse to sync a directory; they order the rename themselves.
        if let code = FileSync.durable.force(directory), code != EINVAL { throw ReplayWindowError("fsync", code: code) }
    }

    /// Moves a folder out of the way of the rename; one with content is kept.
    private static func moveFolder(at path: String, aside: String) throws(ReplayWindowError) {
        guard unsafe rmdir(path) != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
        guard unsafe rename(path, aside) == 0 else { throw ReplayWindowError("rename", code: errno) }
    }

    private static func isIntact(_ path: String) throws(ReplayWindowError) -> Bool {
        do {
            let file = try WindowFile(path: path, onWrite: nil)
            _ = try file.withLock { () throws(ReplayWindowError) in try WindowCore(file: file, uptime: .now) }
            return true
        } catch {
            guard error == .missing || error == .damaged else { throw error }
            return false
        }
    }

    private static func writePages(to descriptor: Int32, identity: WindowIdentity) throws(ReplayWindowError) {
        for number in 0..<WindowLayout.pageCount {
            let page = Self.page(number, identity: identity)
            var written = 0
            while written < WindowLayout.pageByteCount {
                let start = written
                let count = unsafe page.withUnsafeBytes { bytes in
                    unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw ReplayWindowError("write", code: errno) }
                written += count
            }
        }
    }

    private static func page(_ number: Int, identity: WindowIdentity) -> [UInt64] {
        var page: [UInt64] = []
        switch number {
        case 0:
            page = identity.words + WindowHeader().words
        case WindowLayout.sweepPage:
            break
        case WindowLayout.senderPages:
            if number == WindowLayout.senderPages.lowerBound {
                page += SenderRow(idHigh: 0, idLow: 0).words
                page += SenderRow(idHigh: .max, idLow: .max).words
            }
            let rowCount = WindowLayout.rowsPerPage - page.count / SenderRow.wordCount
            for _ in 0..<rowCount { page += SenderRow.emptyWords }
        case WindowLayout.orderPages:
            for _ in 0..<WindowLayout.rowsPerPage { page += OrderRow.emptyWords }
        default:
            for _ in 0..<WindowLayout.recordsPerPage { page += ReplayRecord.freeWords }
        }
        return page + [UInt64](repeating: 0, count: WindowLayout.pageWordCount - page.count)
    }
}
