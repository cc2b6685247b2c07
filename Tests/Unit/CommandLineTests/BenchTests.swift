import Envelope
import Testing

extension CommandLineTests {
    /// Output of `sealedpush-bench`; only an idle machine can judge its figures.
    struct BenchTests {
        @Test func `bench prints a row with ratio and aim for each operation`() async throws {
            let run = try await Run.bench("crypto", "--rounds", "1", in: try Folder())
            #expect(run.end == .exit(0), "\(run)")
            for name in ["HPKE seal, 200 bytes", "HPKE open, 2822 bytes", "message seal to payload", "message open"] {
                let row = try #require(run.output.split(separator: "\n").first { $0.hasPrefix(name) })
                #expect(row.contains("≤ ") && (row.hasSuffix("met") || row.hasSuffix("missed")), "\(row)")
            }
            #expect(run.output.contains("crypto_scalarmult_base"))
        }

        @Test func `bench says that figures of a debug build mean nothing, and nothing else on standard error`()
            async throws
        {
            let run = try await Run.bench("crypto", "--rounds", "1", in: try Folder())
            let isUnoptimized = run.error.hasPrefix("sealedpush-bench: figures of an unoptimised build mean nothing")
            #expect(run.error.isEmpty || isUnoptimized && run.error.filter(\.isNewline).count == 1, "\(run)")
        }

        /// All of 'sealedpush-bench attachment' takes too long in a debug build.
        @Test func `a process that opens an attachment says how much memory it took`() async throws {
            let run = try await Run.bench("attachment-process", "100000", "opened", in: try Folder())
            let empty = try await Run.bench("attachment-process", "empty", "opened", in: try Folder())
            let (peak, least) = (Int(run.output.dropLast()), Int(empty.output.dropLast()))
            #expect(run.isDone && empty.isDone, "\(run) \(empty)")
            #expect(try #require(peak) > (try #require(least)))
        }

        @Test func `bench runs the extension over schedules, and says what came of them`() async throws {
            let run = try await Run.bench(
                "extension",
                "--schedules",
                "60",
                "--seed",
                "7",
                in: try Folder()
            )
            #expect(run.end == .exit(0), "\(run)")
            #expect(run.output.contains("60 schedules from seed 7") && run.output.contains("expiry early"))
            #expect(run.output.contains("schedules that went wrong: 0"))
        }

        @Test func `bench gives programs one object a line, and the only round's ratio is that of its times`()
            async throws
        {
            let run = try await Run.bench("crypto", "--rounds", "1", "--json", in: try Folder())
            #expect(run.end == .exit(0), "\(run)")
            let lines = try run.output.split(separator: "\n").map { try JSONLine($0 + "\n") }
            #expect(lines.count == 7)
            for line in lines {
                let (ours, sum) = (try line.integer("nanoseconds"), try line.integer("sum-nanoseconds"))
                #expect(ours > 0 && sum > 0)
                let perMille = try line.integer("per-mille")
                #expect(abs(perMille * sum - ours * 1_000) <= sum)
                #expect(try line.bool("met") == (perMille <= line.integer("aim-per-mille")))
            }
        }

        @Test func `bench extension gives every push to both extensions, and each calls its handler once`()
            async throws
        {
            let run = try await Run.bench("extension", "--pushes", "200", "--json", in: try Folder())
            #expect(run.end == .exit(0), "\(run)")
            let line = try JSONLine(run.output)
            for (name, openedCount) in [("sealedpush", 100), ("empty", 0)] {
                let report = try #require(line.value[name])
                #expect(try report.integer("handler-calls") == 200)
                #expect(try report.integer("opened") == openedCount)
                #expect(try report.integer("peak-bytes") > 0)
            }
        }
    }
}
