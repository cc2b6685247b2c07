/// `all` is complete: tests compare the documentation.
struct ControlCall: Sendable {
    typealias Answer = @Sendable (ControlRequest, any SimulatorControl) throws(ControlProblem) -> ControlAnswer

    let method: String
    /// `{n}` stands for a number.
    let path: String
    let answer: Answer

    static let all = state + faults + devices + other

    private init(
        _ method: String,
        _ path: String,
        _ answer: @escaping Answer
    ) {
        self.method = method
        self.path = path
        self.answer = answer
    }

    private static let state = [
        ControlCall("GET", "/v1/state", ControlCalls.state),
        ControlCall("POST", "/v1/settings", ControlCalls.changeSetting),
        ControlCall("POST", "/v1/clock", ControlCalls.moveClock),
        ControlCall("GET", "/v1/log", ControlCalls.log),
        ControlCall("GET", "/v1/deliveries", ControlCalls.deliveries),
    ]
    private static let faults = [
        ControlCall("GET", "/v1/faults", ControlCalls.faults),
        ControlCall("POST", "/v1/faults", ControlCalls.addFault),
        ControlCall("DELETE", "/v1/faults", ControlCalls.removeFaults),
        ControlCall("DELETE", "/v1/faults/{n}", ControlCalls.removeFault),
    ]
    private static let devices = [
        ControlCall("GET", "/v1/devices", ControlCalls.devices),
        ControlCall("POST", "/v1/devices", ControlCalls.enrolDevice),
        ControlCall("POST", "/v1/devices/{n}/tokens", ControlCalls.registerDevice),
        ControlCall("POST", "/v1/devices/{n}/state", ControlCalls.setDeviceState),
        ControlCall("POST", "/v1/tokens/check", ControlCalls.checkToken),
    ]
    private static let other = [
        ControlCall("POST", "/v1/goaway", ControlCalls.goAway),
        ControlCall("POST", "/v1/stop", ControlCalls.stop),
    ]

    func match(_ path: String) -> (isMatch: Bool, number: Int?) {
        let own = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard own.count == parts.count else { return (false, nil) }
        var number: Int?
        for (expected, part) in zip(own, parts) {
            if expected == "{n}" {
                guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let found = Int(part) else {
                    return (false, nil)
                }
                number = found
            } else if expected != part {
                return (false, nil)
            }
        }
        return (true, number)
    }
}
