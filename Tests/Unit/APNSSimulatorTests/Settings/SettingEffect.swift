import Testing

@testable import APNSSimulator

/// One setting changed while the simulator runs, and its effect on a client, a device or a reader of the control API.
struct SettingEffect: Sendable, CustomTestStringConvertible {
    typealias Observation = @Sendable (SettingStage) async throws -> String

    let name: String
    let value: @Sendable (SettingStage) throws -> String
    let before: String
    let after: String
    /// Sets other settings that make it visible.
    let configure: @Sendable (inout SimulatorConfiguration) throws -> Void
    /// Ends whether or not the setting acts: a mistake has to fail, not to hang.
    let observe: Observation

    var testDescription: String { name }

    init(
        _ name: String,
        _ value: String,
        from before: String,
        to after: String,
        with configure: @escaping @Sendable (inout SimulatorConfiguration) throws -> Void = { _ in },
        _ observe: @escaping Observation
    ) {
        self.init(name, { _ in value }, from: before, to: after, with: configure, observe)
    }

    init(
        _ name: String,
        _ value: @escaping @Sendable (SettingStage) throws -> String,
        from before: String,
        to after: String,
        with configure: @escaping @Sendable (inout SimulatorConfiguration) throws -> Void = { _ in },
        _ observe: @escaping Observation
    ) {
        (self.name, self.value, self.before, self.after) = (name, value, before, after)
        (self.configure, self.observe) = (configure, observe)
    }

    /// One for each setting that needs no restart.
    static let all: [SettingEffect] = validation + connections + devices + delivery + channels + legacy + control
}
