internal import UserNotifications

/// Folder of the notifications' files, deleted with the device. An accepted file is moved from the extension's place;
/// the app's own are copied.
final class AttachmentStore: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "attachments-\(UUID().uuidString)",
        isDirectory: true
    )

    deinit { delete() }

    func delete() {
        // Fails only if nothing was ever moved there, or when no caller is left to report to.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Moves in the files that the system accepts, and names the others' first problem.
    func take(
        _ attachments: [ShownContent.Attachment],
        appBundle: URL?
    ) -> (taken: [ShownContent.Attachment], problem: AttachmentProblem?) {
        var taken: [ShownContent.Attachment] = []
        var firstProblem: AttachmentProblem?
        for var attachment in attachments {
            do throws(CheckError) {
                try Self.check(attachment)
                attachment.path = try store(attachment, appBundle: appBundle)
                taken.append(attachment)
            } catch {
                firstProblem = firstProblem ?? error.problem
            }
        }
        return (taken, firstProblem)
    }

    /// - Returns: Nil for a file that the system accepts.
    static func problem(_ attachment: ShownContent.Attachment) -> AttachmentProblem? {
        do throws(CheckError) { try check(attachment) } catch { return error.problem }
        return nil
    }

    private struct CheckError: Error {
        let problem: AttachmentProblem
    }

    private static func check(_ attachment: ShownContent.Attachment) throws(CheckError) {
        let header: Data
        let byteCount: Int
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: attachment.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber
            else { throw CheckError(problem: .missing) }
            byteCount = size.intValue
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: attachment.path))
            // Read only: a failed close loses nothing.
            defer { try? file.close() }
            header = try file.read(upToCount: AttachmentRule.headerByteCount) ?? Data()
        } catch {
            throw CheckError(problem: .missing)
        }
        let problem = AttachmentRule.problem(type: attachment.type, byteCount: byteCount, header: Array(header))
        if let problem { throw CheckError(problem: problem) }
    }

    private func store(_ attachment: ShownContent.Attachment, appBundle: URL?) throws(CheckError) -> String {
        let source = URL(fileURLWithPath: attachment.path).standardizedFileURL
        let target = folder.appendingPathComponent("\(UUID().uuidString).\(source.pathExtension)")
        let isOfApp = appBundle.map { source.path.hasPrefix($0.standardizedFileURL.path + "/") } ?? false
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if isOfApp {
                try FileManager.default.copyItem(at: source, to: target)
            } else {
                try FileManager.default.moveItem(at: source, to: target)
            }
        } catch {
            throw CheckError(problem: .notMoved)
        }
        return target.path
    }
}
