import APNS
import APNSSimulator
import CommandLineTool
import Primitives

extension Arguments {
    private static let keyNames = ["--certificate", "--certificate-key", "--provider-key", "--key-id", "--team-id"]

    /// All five options, or none.
    func hasOwnKeys() throws(CommandError) -> Bool {
        guard Self.keyNames.contains(where: { value($0) != nil }) else { return true }
        for name in Self.keyNames { _ = try required(name) }
        guard value("--folder") == nil else { throw wrong("--folder is for keys of its own, instead of --certificate") }
        _ = (try keyID(), try teamID())
        return false
    }

    func bundleIDs() throws(CommandError) -> Set<Topic> {
        var bundleIDs: Set<Topic> = []
        for text in values("--app") {
            do { bundleIDs.insert(try Topic(text)) } catch { throw wrong("--app must be an app's bundle id") }
        }
        return bundleIDs
    }

    func signingKey(_ bundleIDs: Set<Topic>) throws(CommandError) -> SigningKey {
        let path = try required("--provider-key")
        let pem = try readInput(path, byteCountMax: 1 << 20)
        let publicKey: ES256PublicKey
        do {
            publicKey = try ES256PublicKey(pem: unsafe pem.span.bytes)
        } catch {
            throw .failed("\(TerminalText.safe(path)) is not a public P-256 key (PEM); check the path")
        }
        return SigningKey(
            id: try keyID(),
            team: try teamID(),
            publicKey: publicKey,
            bundleIDs: bundleIDs.isEmpty ? nil : bundleIDs
        )
    }

    func simulatorConfiguration() throws(CommandError) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keys: [])
        configuration.pushPort = try port("--port", default: 2_197)
        configuration.devicePort = try port("--device-port", default: 5_223)
        configuration.channelPort = try optionalPort("--channel-port")
        configuration.gatewayPort = try optionalPort("--gateway-port")
        configuration.feedbackPort = try optionalPort("--feedback-port")
        if value("--client-ca") == nil { try refuse("--gateway-port", "--feedback-port", because: "needs --client-ca") }
        guard let profile = Profile(rawValue: value("--profile") ?? "apple") else {
            throw wrong("--profile must be 'apple' or 'spec'")
        }
        configuration.profile = profile
        guard let environment = APNSEnvironment(rawValue: value("--environment") ?? "sandbox") else {
            throw wrong("--environment must be 'sandbox' or 'production'")
        }
        configuration.environment = environment
        for text in values("--set") { try set(text, in: &configuration) }
        configuration.faults = try injectedFaults()
        return configuration
    }

    private func optionalPort(_ name: String) throws(CommandError) -> UInt16? {
        value(name) == nil ? nil : try port(name, default: 0)
    }

    private func set(_ text: String, in configuration: inout SimulatorConfiguration) throws(CommandError) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { throw wrong("--set must be NAME=VALUE, such as streams=100") }
        do throws(SimulatorSettingError) {
            try SimulatorSetting.apply(sides[0], sides[1], to: &configuration)
        } catch {
            throw wrong("--set \(TerminalText.safe(text)): \(error.sentence)")
        }
    }

    private func injectedFaults() throws(CommandError) -> InjectedFaults {
        var seed = try number("--seed", 0...(.max)).map { UInt64($0) } ?? .random(in: 1...999_999_999)
        var percent = 0
        if let text = value("--faults") {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard let last = parts.last.flatMap({ Int($0) }), (0...100).contains(last), parts.count <= 2 else {
                throw wrong("--faults must be SEED:PERCENT or PERCENT, such as 7:10; percent from 0 to 100")
            }
            percent = last
            if parts.count == 2 {
                guard let first = UInt64(parts[0]) else { throw wrong("--faults: the seed must be a number") }
                guard value("--seed") == nil else { throw wrong("--faults has a seed already; leave --seed out") }
                seed = first
            }
        }
        var faults = InjectedFaults(seed: seed, percent: percent)
        for text in values("--fault") {
            do throws(InjectionRuleError) {
                guard faults.add(try InjectionRule(text: text)) != nil else {
                    throw .badValue("--fault", expected: "given \(InjectedFaults.entryCountMax) times at most")
                }
            } catch {
                throw wrong("--fault \(TerminalText.safe(text)): \(error)")
            }
        }
        return faults
    }
}

extension SimulatorSetting {
    /// Name, meaning, default without `--set`, and source.
    static var table: String {
        let standard = SimulatorConfiguration(keys: [])
        return all.map { setting in
            """
            \(setting.name)=\(setting.value(standard))
            \(Columns.wrapped(setting.text, indent: 4))
            \(Columns.wrapped("takes \(setting.values); \(setting.source)", indent: 4))
            """
        }
        .joined(separator: "\n")
    }
}
