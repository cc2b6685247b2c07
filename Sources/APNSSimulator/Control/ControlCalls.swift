import APNS
import Envelope

enum ControlCalls {
    static func state(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        let configuration = control.settings
        return ControlAnswer { writer in
            writer.member("environment", configuration.environment.rawValue)
            writer.member("profile", configuration.profile.rawValue)
            writer.member("seed", control.faults.seed)
            writer.member("clock", control.now)
            writer.member("clock-offset", control.clockOffset)
            writer.member("devices", control.devices.count)
            writer.name("settings")
            writer.object { writer in
                for setting in SimulatorSetting.all { writer.member(setting.name, setting.value(configuration)) }
            }
        }
    }

    static func changeSetting(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["name", "value"])
        let name = try request.text("name", example: "streams")
        let text = try request.text("value", example: "100")
        let setting: SimulatorSetting
        do throws(SimulatorSettingError) {
            setting = try control.change(name, to: text)
        } catch {
            throw ControlProblem(error.status, error.sentence)
        }
        return ControlAnswer { writer in
            writer.member("name", name)
            writer.member("value", text)
            writer.member("applies-to", setting.appliesTo.rawValue)
        }
    }

    /// A hundred years: enough for tests, and no sum overflows.
    private static let clockOffsetMax: Int64 = 100 * 366 * 86_400

    static func moveClock(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["by", "to"])
        let seconds: Int64
        switch (try request.integer("by"), try request.integer("to")) {
        case (let by?, nil): seconds = by
        case (nil, let to?) where to >= 0: seconds = to - control.now
        default: throw ControlProblem("give either 'by', a number of seconds, or 'to', seconds since 1970")
        }
        let (offset, overflow) = control.clockOffset.addingReportingOverflow(seconds)
        guard !overflow, (-clockOffsetMax...clockOffsetMax).contains(offset) else {
            throw ControlProblem("the clock can be moved by a hundred years at most")
        }
        control.moveClock(by: seconds)
        return ControlAnswer { writer in
            writer.member("clock", control.now)
            writer.member("clock-offset", control.clockOffset)
        }
    }

    static func log(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(query: ["since", "limit"])
        let since = try request.queryNumber("since", in: 0...Int(Int32.max), otherwise: 0)
        let limit = try request.queryNumber("limit", in: 1...10_000, otherwise: 1_000)
        let entries = control.journalEntries(after: since, limit: limit)
        return ControlAnswer { writer in
            writer.name("events")
            writer.array { writer in for entry in entries { writer.object { entry.write(to: &$0) } } }
            writer.member("last", entries.last?.number ?? since)
        }
    }

    static func goAway(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["reason", "code"])
        let reason = try request.reason("reason")
        let code = try request.integer("code") ?? 0
        guard (0...Int64(UInt32.max)).contains(code) else {
            throw ControlProblem("'code' must be an error code of RFC 9113, section 7")
        }
        control.goAway(code: UInt32(code), debugData: reason.map { RejectionBody($0).json } ?? [])
        return ControlAnswer(status: 202) { $0.member("told", "every provider connection") }
    }

    static func stop(
        _ request: ControlRequest,
        _: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        var answer = ControlAnswer(status: 202) { $0.member("stopping", true) }
        answer.endsSimulator = true
        return answer
    }
}

extension SimulatorSettingError {
    package var sentence: String {
        switch self {
        case .unknown:
            "there is no such setting; there are \(SimulatorSetting.all.map(\.name).joined(separator: ", "))"
        case .badValue(let name, let values): "'\(name)' takes \(values)"
        case .needsRestart(let name): "'\(name)' needs a restart: start the simulator with --set \(name)=VALUE"
        case .notApplied(let name): "'\(name)' was not changed: TLS could not be set up again; try again"
        }
    }

    fileprivate var status: Int {
        switch self {
        case .unknown, .badValue: 400
        case .needsRestart: 409
        case .notApplied: 500
        }
    }
}

extension EventJournal.Entry {
    func write(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("time", unixSeconds)
        writer.member("event", event.name)
        if let device = event.device { writer.member("device", device) }
        if let id = event.id { writer.member("apns-id", id) }
        if let reason = event.reason {
            writer.member("status", reason.status)
            writer.member("reason", reason.rawValue)
        }
        if let detail = event.detail { writer.member("detail", detail) }
    }
}
