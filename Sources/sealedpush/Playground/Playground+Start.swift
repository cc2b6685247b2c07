import APNS
import APNSSimulator
import CommandLineTool
import DeviceLink
import Envelope
import ExtensionHarness
import Keys
import Networking
import Sealing

extension Playground {
    /// Connects the phone.
    ///
    /// - Parameter extensionName: empty for ours.
    static func start(
        in home: PlaygroundHome,
        _ simulator: Simulator,
        _ folder: SimulatorFolder,
        topic: Topic,
        program: ExtensionProgram,
        extensionName: String
    ) async throws(CommandError) -> Playground {
        let sender = SenderIdentity()
        let loop: EventLoop
        do throws(TransportError) { loop = try EventLoop() } catch { throw .failed(error.sentence) }
        let phone = try await PlaygroundPhone(
            home.container,
            topic: try bundleID(topic),
            connection: try await connect(simulator, folder, loop, topic),
            program: program,
            sender: sender.publicKey,
            report: home.report
        )
        let provider = PlaygroundProvider(
            port: simulator.pushPort,
            context: try folder.clientContext(protocol: "h2"),
            loop: loop
        ) { issuedAt throws(CommandError) in try folder.authorization(issuedAt: issuedAt) }
        return Playground(
            simulator,
            provider,
            phone,
            sender: sender,
            folder: folder,
            report: home.report,
            extensionName: extensionName
        )
    }

    private static func bundleID(_ topic: Topic) throws(CommandError) -> BundleID {
        do { return try BundleID("\(topic)") } catch { throw .failed("--app is no bundle id that a phone can have") }
    }

    private static func connect(
        _ simulator: Simulator,
        _ folder: SimulatorFolder,
        _ loop: EventLoop,
        _ topic: Topic
    ) async throws(CommandError) -> DeviceConnection {
        let context = try folder.clientContext(protocol: DeviceFrame.applicationProtocol)
        do throws(DeviceLinkError) {
            return try await .connect(
                host: "localhost",
                port: simulator.devicePort,
                context: context,
                loop: loop,
                topic: topic
            )
        } catch {
            throw .failed("the playground's phone could not connect (\(error)); leave device-certificates=required out")
        }
    }
}
