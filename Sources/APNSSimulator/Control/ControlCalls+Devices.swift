import APNS
import DeviceLink
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
        try request.allow(members: ["topic", "kind"])
        let topic = try request.topic("topic")
        let kind = try request.tokenKind("kind")
        let app = kind.map { RegisteredApp(bundleID: topic, kind: $0) } ?? control.app(of: topic)
        guard let device = control.enrolDevice(app) else { throw tooManyDevices }
        return ControlAnswer(status: 201) { writer in
            writer.member("device", device.number)
            writer.member("topic", "\(app.topic)")
            writer.member("kind", app.kind.name)
            writer.member("token", device.token.hex)
        }
    }

    static func registerDevice(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["kind", "instance"])
        guard let kind = try request.tokenKind("kind") else {
            throw ControlProblem("'kind' is missing; write \"kind\": \"voip\", for instance")
        }
        let instance = try request.optionalText("instance", example: "match-1") ?? ""
        guard let registration = TokenRegistration(kind, instance: Array(instance.utf8)) else {
            throw ControlProblem("'instance' must have at most \(TokenRegistration.instanceByteCountMax) bytes")
        }
        let token: DeviceToken?
        do throws(DeviceError) {
            token = try control.register(registration, ofDevice: request.number ?? 0)
        } catch {
            throw tooManyDevices
        }
        guard let token else { throw ControlProblem(404, "there is no such device; GET /v1/devices lists them") }
        return ControlAnswer(status: 201) { writer in
            writer.member("device", request.number ?? 0)
            writer.member("kind", kind.name)
            writer.member("token", token.hex)
        }
    }

    private static let tooManyDevices = ControlProblem(
        409,
        "the limit of devices or tokens is reached; remove a device"
    )

    static func setDeviceState(
        _ request: ControlRequest,
        _ control: any SimulatorControl
    ) throws(ControlProblem) -> ControlAnswer {
        try request.allow(members: ["state"])
        let state = try request.text("state", example: control.deviceStates[0])
        guard control.deviceStates.contains(state) else {
            throw ControlProblem("'state' must be one of \(control.deviceStates.joined(separator: ", "))")
        }
        guard let number = request.number, control.setState(state, ofDevice: number) else {
            throw ControlProblem(404, "there is no such device, or it is not connected; GET /v1/devices lists them")
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
            throw ControlProblem("'token' must be a device token in hex, two digits for each byte")
        }
        let report = control.check(token)
        return ControlAnswer { writer in
            writer.member("active", report.isActive)
            if let environment = report.environment { writer.member("environment", environment.rawValue) }
            if let device = report.device {
                writer.member("topic", "\(device.app.topic)")
                writer.member("kind", device.app.kind.name)
                writer.member("device", device.number)
                writer.member("state", device.state)
            }
            if let why = report.why { writer.member("why", why) }
        }
    }
}

extension ControlRequest {
    fileprivate func tokenKind(_ name: String) throws(ControlProblem) -> TokenKind? {
        guard let text = try optionalText(name, example: "voip") else { return nil }
        guard let kind = TokenKind(name: text) else {
            throw ControlProblem("'\(name)' is \(TokenKind.allCases.map(\.name).joined(separator: ", "))")
        }
        return kind
    }

    /// Empty if absent, as no token is.
    fileprivate func token() -> String {
        // `try?`: the caller reports any malformed token.
        (try? text("token", example: "")) ?? ""
    }
}

extension DeviceSummary {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("device", number)
        writer.member("topic", "\(app.topic)")
        writer.member("kind", app.kind.name)
        writer.member("state", state)
        writer.member("waiting", waitingCount)
        if let unregisteredAtMilliseconds { writer.member("app-removed-at", unregisteredAtMilliseconds) }
    }
}
