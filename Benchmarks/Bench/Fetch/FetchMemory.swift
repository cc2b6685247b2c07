private import AttachmentStream
private import Envelope
private import NotificationCore
private import Platform

/// Memory of fetching and opening an attachment in its own process, over HTTPS as in an extension.
package enum FetchMemory {
    /// Maximum above a process that fetched one byte, in bytes.
    package static let byteCountMaxAboveOneByte = 4_000_000
    private static let readingInterval = 64

    /// - Parameters:
    ///   - byteCount: Nil fetches one byte and opens nothing.
    ///   - path: Path of the new, opened file.
    /// - Returns: RssAnon + RssShmem + VmSwap in bytes, the highest seen after every 64th piece and at the end.
    package static func peak(
        byteCount: UInt64?,
        port: UInt16,
        authoritiesPath: String,
        path: String
    ) async throws(BenchError) -> Int {
        let target = SealedZerosServer.pathPrefix + String(byteCount ?? 1)
        guard let url = AttachmentURL("https://localhost:\(port)\(target)") else { throw .operationFailed }
        let stored = AttachmentLength.stored(byteCount ?? 1)
        let reading = Guarded(Reading(footprint: try FootprintReading()))
        let opening = Guarded(try byteCount.map { byteCount throws(BenchError) in try Opening(byteCount, path) })
        do throws(BlobDownloadError) {
            let request = BlobRequest(url: url, offset: 0, byteCount: stored)
            try await HTTPSDownloader(authoritiesPath: authoritiesPath).download(request) { bytes in
                reading.withLock { $0.note() }
                return opening.withLock { $0?.update(bytes) ?? true }
            }
        } catch {
            throw .operationFailed
        }
        try opening.withLock { opening throws(BenchError) in try opening?.finish() }
        return reading.withLock { reading in
            reading.note(isLast: true)
            return reading.peak
        }
    }

    private final class Reading {
        private var footprint: FootprintReading
        private var pieceCount = 0
        private(set) var peak = 0

        init(footprint: consuming FootprintReading) { self.footprint = footprint }

        func note(isLast: Bool = false) {
            // Without a reading the largest number fails every aim.
            if pieceCount % readingInterval == 0 || isLast { peak = max(peak, (try? footprint.byteCount()) ?? .max) }
            pieceCount += 1
        }
    }

    private final class Opening {
        private var opener: AttachmentFileOpener?

        init(_ byteCount: UInt64, _ path: String) throws(BenchError) {
            do throws(AttachmentError) {
                opener = try AttachmentFileOpener.create(
                    at: path,
                    key: SealedZerosServer.key,
                    context: [],
                    byteCount: byteCount
                )
            } catch {
                throw .operationFailed
            }
        }

        func update(_ bytes: RawSpan) -> Bool {
            do throws(AttachmentError) {
                try opener?.update(bytes)
                return true
            } catch {
                return false
            }
        }

        func finish() throws(BenchError) {
            guard let opener = opener.take() else { throw .operationFailed }
            do throws(AttachmentError) { try opener.finish() } catch { throw .operationFailed }
        }
    }
}
