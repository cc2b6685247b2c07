import APNS
import Envelope

extension ControlCalls {
    static func deliveries(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(query: ["apns-unique-id", "apns-id", "limit"])
        let limit = try request.queryNumber("limit", in: 1...1_000, otherwise: 100)
        let query: DeliveryLog.Query
        switch (try request.queryID("apns-unique-id"), try request.queryID("apns-id")) {
        case (let uniqueID?, nil): query = .uniqueID(uniqueID)
        case (nil, let id?): query = .id(id)
        case (nil, nil): query = .all
        case (_?, _?): throw ControlProblem("give either 'apns-unique-id' or 'apns-id'")
        }
        let entries = control.deliveries(query, countMax: limit)
        return ControlAnswer { writer in
            writer.name("deliveries")
            writer.array { writer in for entry in entries { writer.object { entry.write(to: &$0) } } }
        }
    }
}

extension DeliveryLog.Entry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("apns-unique-id", "\(uniqueID)")
        writer.member("apns-id", "\(id)")
        writer.member("device", device)
        writer.member("push-type", pushType.rawValue)
        writer.member("priority", priority.rawValue)
        writer.member("accepted-at", acceptedAtMilliseconds)
        writer.member("state", steps.last?.outcome.word ?? "sent")
        writer.name("steps")
        writer.array { writer in for step in steps { writer.object { step.write(to: &$0) } } }
    }
}

extension DeliveryLog.Step {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("at", atMilliseconds)
        writer.member("state", outcome.word)
        switch outcome {
        case .stored(let reason): writer.member("reason", reason.rawValue)
        case .discarded(let reason): writer.member("reason", reason.rawValue)
        case .replaced(let other): writer.member("by", "\(other)")
        case .delivered: break
        }
    }
}

extension DeliveryLog.Outcome {
    fileprivate var word: String {
        switch self {
        case .stored: "stored"
        case .replaced: "replaced"
        case .delivered: "delivered"
        case .discarded: "discarded"
        }
    }
}
