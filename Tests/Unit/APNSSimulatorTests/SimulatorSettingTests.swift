import Testing

@testable import APNSSimulator

/// Named settings: whatever Apple does not specify is no constant.
struct SimulatorSettingTests {
    @Test(arguments: SimulatorSetting.all.map(\.name))
    func `a setting takes its own default back, and nothing else than it says`(_ name: String) throws {
        let setting = try #require(SimulatorSetting.all.first { $0.name == name })
        var configuration = SimulatorConfiguration(keys: [])
        let before = setting.value(configuration)
        #expect(setting.set(&configuration, before))
        #expect(setting.value(configuration) == before)
        for text in ["", " ", "-1", "perhaps", "99999999999999999999", before + " "] {
            #expect(!setting.set(&configuration, text), "\(text)")
        }
        #expect(setting.value(configuration) == before)
        #expect(!setting.source.isEmpty && !setting.text.hasSuffix("."))
    }

    @Test
    func `no two settings have one name`() {
        #expect(Set(SimulatorSetting.all.map(\.name)).count == SimulatorSetting.all.count)
    }

    @Test
    func `a setting is given by its name, and an unknown one is named`() throws {
        var configuration = SimulatorConfiguration(keys: [])
        try SimulatorSetting.apply("streams", "7", to: &configuration)
        #expect(configuration.streamCountMax == 7)
        #expect(throws: SimulatorSettingError.unknown("stream")) {
            try SimulatorSetting.apply("stream", "7", to: &configuration)
        }
        #expect(throws: SimulatorSettingError.badValue("streams", values: "a number from 1 to 100000")) {
            try SimulatorSetting.apply("streams", "0", to: &configuration)
        }
    }
}
