import Envelope
import Testing

@testable import APNSSimulator

/// Settings that act when they are changed while the simulator runs, or whose change is refused.
struct SettingEffectTests {
    @Test(arguments: SettingEffect.all)
    func `a setting that is changed acts on what comes then`(_ effect: SettingEffect) async throws {
        let stage = try await SettingStage(effect.configure)
        let before = try await effect.observe(stage)
        #expect(before == effect.before)
        let value = try effect.value(stage)
        let answer = try await stage.call("POST /v1/settings", #"{"name":"\#(effect.name)","value":"\#(value)"}"#)
        #expect(answer.status == 200, "\(answer)")
        let after = try await effect.observe(stage)
        #expect(after == effect.after)
        await stage.close()
    }

    private static let refused: [SimulatorSetting] = SimulatorSetting.all.filter { $0.appliesTo == .restart }

    @Test func `each setting has its effect here, or needs a restart`() {
        let names = SettingEffect.all.map(\.name) + Self.refused.map(\.name)
        #expect(names.sorted() == SimulatorSetting.all.map(\.name).sorted())
    }

    @Test(arguments: refused.map(\.name))
    func `a setting that needs a restart is refused, and stays as it is`(_ name: String) async throws {
        let stage = try await SettingStage()
        let setting = try #require(Self.refused.first { $0.name == name })
        let before = setting.value(SimulatorConfiguration(keys: []))
        for value in ["40", before] {
            let answer = try await stage.call("POST /v1/settings", #"{"name":"\#(name)","value":"\#(value)"}"#)
            #expect(answer.status == 409, "\(answer)")
            #expect(answer.text("detail")?.contains("--set \(name)=") == true, "\(answer)")
        }
        #expect(try await stage.call("GET /v1/state").json?["settings"]?[name]?.string == before)
        // The refusal says first what it takes.
        let bad = try await stage.call("POST /v1/settings", #"{"name":"\#(name)","value":"perhaps"}"#)
        #expect(bad.status == 400, "\(bad)")
        await stage.close()
    }

    @Test(arguments: [("streams", "connections that come from now on"), ("storage-days", "all that comes from now on")])
    func `the answer says what the setting applies to`(_ name: String, _ scope: String) async throws {
        let stage = try await SettingStage()
        let answer = try await stage.call("POST /v1/settings", #"{"name":"\#(name)","value":"7"}"#)
        #expect(answer.text("applies-to") == scope)
        await stage.close()
    }
}
