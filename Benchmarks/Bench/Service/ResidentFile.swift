private import Glibc

/// A file that the page cache has, and keeps while this lives.
///
/// A kernel that reclaims what is idle (DAMON's `pageout`, which some machines run at all times) takes back what a process
/// read a minute ago, however much memory is free: how much of a large registry the relay finds would be by how long ago it
/// was registered. What a process has mapped it leaves alone. Where memory is short, the kernel takes it back all the same.
package final class ResidentFile: Sendable {
    /// Nobody reads through it, so that a disk's fault is no signal.
    private let address: UInt
    private let byteCount: Int

    /// Reads a file to its end. Nil for one that is empty, or cannot be read or mapped.
    ///
    /// - Parameter path: of a file that this process has no lock of: SQLite's would be lost.
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
