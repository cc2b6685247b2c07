import APNS
import Envelope

extension ControlCalls {
    static func devices(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow()
        let devices = control.devices
        return ControlAnswer { writer in
            writer.name("devices")
            writer.array { writer in for device in devices { writer.object { device.write(to: &$0) } } }
        }
    }

    static func enrolDevice(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["topic"])
        guard let device = control.enrolDevice(bundleID: try request.topic("topic")) else {
            throw ControlProblem(409, "there are as many devices as there may be")
        }
        return ControlAnswer(status: 201) { writer in
            writer.member("device", device.number)
            writer.member("token", device.token.hex)
        }
    }

    static func setDeviceState(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["state"])
        let state = try request.text("state", example: control.deviceStates[0])
        guard control.deviceStates.contains(state) else {
            throw ControlProblem("'state' is \(control.deviceStates.joined(separator: ", "))")
        }
        guard let number = request.number, control.setState(state, ofDevice: number) else {
            throw ControlProblem(404, "there is no such device, or it is not connected; GET /v1/devices tells")
        }
        return ControlAnswer { writer in
            writer.member("device", number)
            writer.member("state", state)
        }
    }

    static func checkToken(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["token"])
        let token: DeviceToken
        do throws(APNSError) {
            token = try DeviceToken(hex: request.token())
        } catch {
            throw ControlProblem("'token' is a device token in hex, two digits for each byte")
        }
        let report = control.check(token)
        return ControlAnswer { writer in
            writer.member("active", report.isActive)
            if let environment = report.environment { writer.member("environment", environment.rawValue) }
            if let device = report.device {
                writer.member("topic", "\(device.bundleID)")
                writer.member("device", device.number)
                writer.member("state", device.state)
            }
            if let why = report.why { writer.member("why", why) }
        }
    }
}

extension ControlRequest {
    /// Empty where there is none: no device token has no bytes.
    fileprivate func token() -> String {
        // `try?`: the caller says what a token is, whatever was there.
        (try? text("token", example: "")) ?? ""
    }
}

extension DeviceSummary {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("device", number)
        writer.member("topic", "\(bundleID)")
        writer.member("state", state)
        writer.member("waiting", waitingCount)
        if let unregisteredAtMilliseconds { writer.member("app-removed-at", unregisteredAtMilliseconds) }
    }
}
