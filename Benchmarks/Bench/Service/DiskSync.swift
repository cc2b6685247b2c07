private import Glibc
private import Networking

/// Time of a flush to the disk, on which every acknowledgement waits.
package enum DiskSync {
    private static let roundCount = 101

    /// Flushes a file to the disk. Errors are ignored: a bench loses nothing by them.
    package static func sync(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fdatasync(descriptor)
        close(descriptor)
    }

    /// - Parameter folder: A folder on the disk in question.
    /// - Returns: The median of writing 4 KiB and `fdatasync`; nil if that fails.
    package static func medianNanoseconds(in folder: String) -> Int? {
        let path = folder + "/sync"
        let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unsafe unlink(path)
        }
        let block = [UInt8](repeating: 0x5A, count: 4_096)
        var times: [Int64] = []
        for round in 0..<roundCount {
            let start = MonotonicTime.now()
            guard unsafe pwrite(descriptor, block, block.count, round * block.count) == block.count,
                fdatasync(descriptor) == 0
            else { return nil }
            times.append(MonotonicTime.now().nanoseconds - start.nanoseconds)
        }
        return Int(times.sorted()[roundCount / 2])
    }
}
