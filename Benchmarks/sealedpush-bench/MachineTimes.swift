import CommandLineTool
import Glibc

/// Ticks of all processors since the machine's start, from /proc/stat.
struct MachineTimes {
    private let all: Int
    /// Other machines' on the same processors.
    private let stolen: Int

    init() throws(CommandError) {
        guard let file = unsafe fopen("/proc/stat", "r") else { throw .failed("/proc/stat cannot be read") }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { throw .failed("/proc/stat cannot be read") }
        // cpu user nice system idle iowait irq softirq steal: guests' time is in user's already.
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let ticks = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).dropFirst().prefix(8).compactMap { Int($0) }
        guard ticks.count == 8 else { throw .failed("/proc/stat has an unknown form") }
        all = ticks.reduce(0, +)
        stolen = ticks[7]
    }

    func stolenPerMille(since earlier: MachineTimes) -> Int {
        let passed = all - earlier.all
        return passed > 0 ? (stolen - earlier.stolen) * 1_000 / passed : 0
    }
}
