import Glibc
import TestSupport
import Testing

struct SmallMachineTests {
    /// The short form: the long one is `sealedpush-bench service`.
    @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the service's"))
    func `on one processor with little memory, what comes and goes leaves nothing behind (abuse case 100)`()
        async throws
    {
        let site = try await ServiceSite()
        let service = try site.start(wrapper: [
            "/usr/bin/taskset", "-c", try processor(), "/usr/bin/prlimit", "--as=\(1 << 30)", "--nofile=8192",
        ])
        try await site.register("d1", at: service)
        let id = try #require(try service.send(["d1"]).ids.first)
        await site.board.when { $0.answered.contains(id) }
        func round(_ count: Int) throws {
            for number in 0..<count {
                switch number % 4 {
                case 0: #expect(try service.call("GET", "/v1/notifications/\(id)").status == 200)
                case 1: #expect(try service.call("GET", "/v1/metrics").status == 200)
                case 2: #expect(try service.call("GET", "/v1/nowhere").status == 404)
                default: #expect(try service.call("POST", "/v1/notifications", body: "[").status == 400)
                }
            }
        }
        try round(400)
        let (before, files) = (try residentByteCount(service.process.id), try descriptorCount(service.process.id))
        try round(1_600)
        // Closed connections may stay visible for a moment; 1,600 open ones would be more.
        #expect(try descriptorCount(service.process.id) <= files + 16)
        let after = try residentByteCount(service.process.id)
        // The allocator's variation stays below this; 1,600 connections would be five times as much.
        #expect(after - before < 16 << 20, "\(after - before) bytes more")
        #expect(service.stop() == 0)
    }

    private func processor() throws -> String {
        let text = try read("/proc/self/status")
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
        return String(line.drop { !$0.isNumber }.prefix { $0.isNumber })
    }

    private func residentByteCount(_ process: pid_t) throws -> Int {
        let pages = try read("/proc/\(process)/statm").split(separator: " ")
        return try #require(Int(pages[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func descriptorCount(_ process: pid_t) throws -> Int {
        guard let folder = unsafe opendir("/proc/\(process)/fd") else {
            throw SystemFailure(call: "opendir", code: errno)
        }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }

    private func read(_ path: String) throws -> String {
        guard let file = unsafe fopen(path, "r") else { throw SystemFailure(call: "fopen", code: errno) }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
