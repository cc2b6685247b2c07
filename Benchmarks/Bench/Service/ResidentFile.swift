private import Glibc

/// A file held in the page cache while this lives.
///
/// A kernel that reclaims idle pages (DAMON's `pageout`, which some machines run at all times) drops pages read a
/// minute ago, however much memory is free. The cached part of a large registry would then depend on its age. Mapped
/// pages are left alone, except when memory is short.
package final class ResidentFile: Sendable {
    /// Never read through, so that a disk's fault raises no signal.
    private let address: UInt
    private let byteCount: Int

    /// Reads a file to its end. Nil for one that is empty, or cannot be read or mapped.
    ///
    /// - Parameter path: A file that this process has not locked: closing it would drop SQLite's locks.
    package init?(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var byteCount = 0
        while true {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            byteCount += count
        }
        guard byteCount > 0,
            let start = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        address = UInt(bitPattern: start)
        self.byteCount = byteCount
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), byteCount) }
}
