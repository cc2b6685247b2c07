import Envelope

extension ControlCalls {
    static func faults(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        let faults = control.faults
        return ControlAnswer { writer in
            writer.member("seed", faults.seed)
            writer.member("percent", faults.percent)
            writer.name("rules")
            writer.array { writer in for entry in faults.entries { writer.object { entry.write(to: &$0) } } }
        }
    }

    static func addFault(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        let fields = try request.fields()
        guard fields.contains(where: { $0.name == "fault" }) else { return try addChance(request, control) }
        let rule: InjectionRule
        do throws(InjectionRuleError) { rule = try InjectionRule(fields: fields) } catch {
            throw ControlProblem(error.description)
        }
        guard let id = control.faults.add(rule) else {
            throw ControlProblem(409, "there are \(InjectedFaults.entryCountMax) rules; delete one first")
        }
        return ControlAnswer(status: 201) { writer in
            writer.member("id", id)
            for field in rule.fields { writer.field(field) }
        }
    }

    private static func addChance(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["percent", "seed"])
        guard let percent = try request.integer("percent"), (0...100).contains(percent) else {
            throw ControlProblem("give either 'fault', the name of one, or 'percent' from 0 to 100 for random faults")
        }
        if let seed = try request.integer("seed") {
            // A new seed restarts the rules, too.
            control.faults = InjectedFaults(
                seed: UInt64(bitPattern: seed),
                percent: Int(percent),
                rules: control.faults.entries.map(\.rule)
            )
        } else {
            control.faults.percent = Int(percent)
        }
        let faults = control.faults
        return ControlAnswer { writer in
            writer.member("seed", faults.seed)
            writer.member("percent", faults.percent)
        }
    }

    static func removeFaults(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        let count = control.faults.entries.count
        control.faults.removeAll()
        return ControlAnswer { $0.member("removed", count) }
    }

    static func removeFault(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        guard let id = request.number, control.faults.remove(id: id) else {
            throw ControlProblem(404, "there is no rule with this id; GET /v1/faults lists them")
        }
        return ControlAnswer { $0.member("removed", 1) }
    }
}

extension InjectedFaults.Entry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        for field in rule.fields { writer.field(field) }
        writer.member("matched", matchCount)
        writer.member("injected", faultCount)
    }
}

extension JSONWriter {
    fileprivate mutating func field(_ field: (name: String, text: String)) {
        if let number = Int64(field.text) {
            member(field.name, number)
        } else {
            member(field.name, field.text)
        }
    }
}
