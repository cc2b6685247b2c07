import BlobStore
import BlobStorePattern
import Glibc
import TestSupport

/// A process with a folder of blobs, for tests that kill it.
///
///     BlobStoreProbe upload FOLDER SEED   uploads without end, and prints what was acknowledged
///     BlobStoreProbe full FOLDER BYTES    uploads where no file may be longer than so many bytes
@main
enum BlobStoreProbe {
    static func main() {
        let words = CommandLine.arguments
        guard words.count == 4, let number = UInt64(words[3]) else { exit(2) }
        do throws(BlobError) {
            let folder = try BlobFolder.open(words[2], now: Pattern.now)
            if words[1] == "full" {
                try fill(folder, byteCountMax: number)
            } else {
                try upload(to: folder, seed: number)
            }
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private static func upload(to folder: BlobFolder, seed: UInt64) throws(BlobError) {
        var random = SeededRandom(seed: seed)
        while true {
            let byteCount = UInt64.random(in: 0...20_000, using: &random)
            var upload = try folder.create(
                for: Pattern.tenant,
                byteCount: byteCount,
                lifetime: nil,
                now: Pattern.now,
                random: &random
            )
            say("offset \(upload.id.text) 0 \(byteCount)")
            while upload.offset < byteCount, Int.random(in: 0..<20, using: &random) > 0 {
                let count = UInt64.random(in: 0...byteCount - upload.offset, using: &random)
                upload = try folder.append(
                    Pattern.bytes(upload.id, upload.offset..<upload.offset + count),
                    to: upload.id,
                    of: Pattern.tenant,
                    at: upload.offset,
                    now: Pattern.now
                )
                say("offset \(upload.id.text) \(upload.offset) \(byteCount)")
            }
            if upload.offset == byteCount {
                _ = try folder.publish(upload.id, of: Pattern.tenant, now: Pattern.now)
                say("published \(upload.id.text) \(byteCount)")
            } else if Bool.random(using: &random) {
                say("abandoning \(upload.id.text)")
                try folder.abandon(upload.id, of: Pattern.tenant, now: Pattern.now)
            }
        }
    }

    private static func fill(_ folder: BlobFolder, byteCountMax: UInt64) throws(BlobError) {
        _ = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCountMax), rlim_max: rlim_t(byteCountMax))
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
        var random = SeededRandom(seed: 1)
        let upload = try folder.create(
            for: Pattern.tenant,
            byteCount: byteCountMax,
            lifetime: nil,
            now: Pattern.now,
            random: &random
        )
        for offset in [0, byteCountMax / 2] {
            do throws(BlobError) {
                let next = try folder.append(
                    Pattern.bytes(upload.id, offset..<offset + byteCountMax / 2),
                    to: upload.id,
                    of: Pattern.tenant,
                    at: offset,
                    now: Pattern.now
                )
                say("offset \(next.offset)")
            } catch .diskFull {
                let now = try folder.status(upload.id, of: Pattern.tenant, now: Pattern.now)
                say("full \(now.offset)")
            }
        }
    }

    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { exit(1) }
    }
}
