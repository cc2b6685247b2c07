import Envelope
import PushStore
import ServiceParts

/// Recipient that a partial submission leaves out.
package struct RecipientRejection: Equatable, Sendable {
    /// As many as one recipient can have.
    private static let faultCountMax = 4

    let index: Int
    /// nil if its field is missing or wrong.
    let device: DeviceID?
    let problem: Problem

    init(index: Int, device: DeviceID?, problem: Problem) {
        self.index = index
        self.device = device
        self.problem = problem
    }

    /// - Parameter faults: one or more.
    init(_ index: Int, _ device: DeviceID?, _ faults: FieldErrors) {
        var problem = Problem(faults.all)
        if problem.kind == .invalidFields {
            // No "again": it would reach the others twice.
            problem = Problem(
                .invalidFields,
                "Correct the fields listed here, and send to this recipient in a separate request.",
                problem.fields
            )
        }
        self.init(index: index, device: device, problem: problem)
    }

    static func makeFaults() -> FieldErrors { FieldErrors(countMax: faultCountMax) }

    /// - Returns: array, also for a repetition's answer; empty bytes for none.
    static func json(_ all: [RecipientRejection]) -> [UInt8] {
        guard !all.isEmpty else { return [] }
        var writer = JSONWriter(reserving: 256 * all.count)
        writer.array { writer in
            for rejected in all {
                writer.object { writer in
                    writer.member("index", rejected.index)
                    if let device = rejected.device { writer.member("device", device.text) }
                    writer.name("problem")
                    rejected.problem.write(to: &writer)
                }
            }
        }
        return writer.bytes
    }
}

extension Problem {
    /// Answer if none is left: the first problem, with the fields of all that have it.
    ///
    /// - Parameter all: one or more.
    init(ofAll all: [RecipientRejection]) {
        let first = all.min { $0.index < $1.index }?.problem
        guard var problem = first else { preconditionFailure("no recipient was rejected") }
        if problem.kind == .invalidFields {
            let fields = all.sorted { $0.index < $1.index }.filter { $0.problem.kind == problem.kind }
                .flatMap(\.problem.fields)
            problem = Problem(problem.kind, problem.detail, Array(fields.prefix(FieldErrors.countMax)))
        }
        self.init(ofRecipients: problem)
    }

    init(ofRecipients problem: Problem) {
        self = problem
        guard kind == .invalidFields else { return }
        self.init(
            .invalidFields,
            "Nothing was stored for any recipient. Correct or leave out each one listed here"
                + (fields.count == FieldErrors.countMax ? ", the first \(fields.count)," : "")
                + " and send the request again.",
            problem.fields
        )
    }
}
