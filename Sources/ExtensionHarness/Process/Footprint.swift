/// Memory that iOS would count against an extension: pages written, resident or swapped.
///
/// Not the resident set: its shared libraries do not count on iOS, and alone exceed the limit.
enum Footprint {
    private static let fields = ["RssAnon:", "RssShmem:", "VmSwap:"]

    static func byteCount(of id: Int32) -> Int? {
        SystemFile.read("/proc/\(id)/status").flatMap { byteCount(status: $0) }
    }

    /// - Parameter status: `/proc/PID/status`: lines of a name, a number and `kB` (proc(5)).
    /// - Returns: Nil if a number is missing, as for an ended process.
    static func byteCount(status: String) -> Int? {
        var sum = 0
        var foundCount = 0
        for line in status.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 3, fields.contains(String(words[0])), words[2] == "kB", let kilobytes = Int(words[1])
            else { continue }
            let (byteCount, overflows) = kilobytes.multipliedReportingOverflow(by: 1_024)
            let (more, overflowsToo) = sum.addingReportingOverflow(byteCount)
            guard !overflows, !overflowsToo else { return nil }
            sum = more
            foundCount += 1
        }
        return foundCount == fields.count ? sum : nil
    }
}
