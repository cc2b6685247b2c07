import Bench
import Glibc
import TestSupport
import Testing

struct ResidentFileTests {
    private static func isMapped(_ path: String) throws -> Bool {
        let descriptor = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            text += bytes[..<count]
        }
        return String(decoding: text, as: UTF8.self).contains(path)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test func `a file is mapped as long as somebody keeps it, and no longer`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("kept")
        try Self.write([UInt8](repeating: 7, count: 3 << 20), to: path)
        var file = ResidentFile(path)
        #expect(file != nil)
        #expect(try Self.isMapped(path))
        file = nil
        #expect(try !Self.isMapped(path))
    }

    @Test func `there is nothing to keep of a file that is empty, or not there`() throws {
        let folder = try TemporaryFolder()
        try Self.write([], to: folder.path("empty"))
        #expect(ResidentFile(folder.path("empty")) == nil)
        #expect(ResidentFile(folder.path("none")) == nil)
    }
}
