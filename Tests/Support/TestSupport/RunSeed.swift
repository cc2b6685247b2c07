import Platform

package enum RunSeed {
    /// A seed that is the same for a test's line in every run, so that results depend on the change alone;
    /// `SEALEDPUSH_SEEDS=random` draws others (`.ci/full` does), and a number is the seed itself, to replay one.
    ///
    /// - Returns: never 0, which some generators do not take.
    package static func here(file: String = #fileID, line: Int = #line) -> UInt64 {
        let wish = unsafe getenv("SEALEDPUSH_SEEDS").map { unsafe String(cString: $0) }
        if wish == "random" { return .random(in: 1 ... .max) }
        if let seed = wish.flatMap({ UInt64($0) }) { return max(1, seed) }
        // FNV-1a: a hash of Swift's own would differ from run to run.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(file):\(line)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return max(1, hash)
    }
}
