/// The memory that iOS would count against an extension: what it has written to, wherever that is now.
///
/// Not the resident set: the shared libraries in it count for nobody on iOS, and would be over the limit before the
/// extension runs.
enum Footprint {
    private static let fields = ["RssAnon:", "RssShmem:", "VmSwap:"]

    /// Of a process, in bytes; nil when it is gone.
    static func byteCount(of id: Int32) -> Int? {
        SystemFile.read("/proc/\(id)/status").flatMap { byteCount(status: $0) }
    }

    /// - Parameter status: `/proc/PID/status`: lines of a name, a number and `kB` (proc(5)).
    /// - Returns: nil where a number is missing, as it is of a process that has ended.
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
