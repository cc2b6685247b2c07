import TestSupport
import Testing

@testable import Audit

struct AuditorTests {
    private let folder: TemporaryFolder
    private let set: CanarySet

    init() throws {
        folder = try TemporaryFolder()
        var set = CanarySet()
        try set.add("a title", .words, "a title of canaries".utf8)
        try set.add("a trace", .trace, "trace-of-one-message".utf8)
        set.records = [CanarySet.Pair(short: "trace-of-one-message", long: "trace-of-another-one")]
        self.set = set
    }

    private func audit(_ text: String, _ party: Party, isComplete: Bool = false) throws -> AuditReport {
        Auditor(set, isComplete: isComplete).audit([(party, .path(try folder.makeFile("file", text)))])
    }

    @Test func `a party may have what the documents give it, and nothing else`() throws {
        let log = try audit("trace-of-one-message", .log)
        #expect(log.cell(.trace, .log)?.verdict == .permitted && log.cell(.words, .log)?.verdict == .absent)
        #expect(log.faults.isEmpty)
        let stats = try audit("trace-of-one-message", .stats)
        #expect(stats.cell(.trace, .stats)?.verdict == .leak)
    }

    @Test func `what must be somewhere and is not is a fault of a complete run`() throws {
        #expect(try audit("nothing", .log, isComplete: true).cell(.trace, .log)?.verdict == .missing)
        #expect(try audit("nothing", .log).cell(.trace, .log)?.verdict == .absent)
    }

    @Test func `an asset without a canary is not searched`() throws {
        #expect(try audit("nothing", .log).cell(.senderKey, .log)?.verdict == .unknown)
    }

    @Test func `a file that cannot be read makes its party's cells unknown`() {
        let report = Auditor(set, isComplete: true).audit([(.log, .path("/nonexistent"))])
        #expect(report.cell(.words, .log)?.verdict == .unknown && report.extents.first?.unread != nil)
    }

    @Test(arguments: [
        (#","status":200"#, #","status":200"#, AuditReport.Verdict.absent),
        // Times and durations belong to the moment.
        (#","time":"10:00","milliseconds":4"#, #","time":"10:00:01","milliseconds":12"#, .absent),
        (#","status":200"#, #","status":413"#, .leak), (#","topic":"a""#, #","topic":"ab""#, .leak),
        (#","list":[{"n":1}]"#, #","list":[{"n":2}]"#, .leak), ("", #","more":true"#, .leak),
    ])
    func `records of two messages differ in nothing but ids and times`(
        _ one: String,
        _ other: String,
        _ verdict: AuditReport.Verdict
    ) throws {
        let text =
            #"{"event":"ready"}"# + "\n" + #"{"trace":"trace-of-one-message"\#(one)}"# + "\n"
            + #"{"trace":"trace-of-another-one"\#(other)}"# + "\n"
        #expect(try audit(text, .log).cell(.length, .log)?.verdict == verdict)
    }

    @Test func `a record that only one of two messages has is a difference`() throws {
        let text = "trace-of-one-message\ntrace-of-one-message\ntrace-of-another-one\n"
        let cell = try audit(text, .log).cell(.length, .log)
        #expect(cell?.evidence.first?.what == "2 records of the short message, 1 of the long one")
    }

    /// Of docs/security.md; `Claim` has more parties and assets.
    @Test func `claims say no more than the table of the documents`() {
        for party in Party.allCases {
            for asset in [Asset.words, .attachment, .senderKey] {
                #expect(!Claim.of(asset, party).isPermission, "\(asset) at \(party)")
            }
            #expect(!Claim.of(.sender, party).isPermission || party == .phone)
            #expect(!Claim.of(.deviceKeys, party).isPermission || party == .phone)
            #expect(!Claim.of(.length, party).isPermission)
        }
        for asset in Asset.allCases { #expect(!Claim.of(asset, .core).isPermission) }
    }
}

extension Claim {
    fileprivate var isPermission: Bool {
        switch self {
        case .never: false
        case .allowed, .expected: true
        }
    }
}
