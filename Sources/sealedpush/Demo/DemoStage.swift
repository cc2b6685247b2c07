import ChildProcesses
import CommandLineTool
import Envelope

final class DemoStage {
    let folder: String
    let keys: String
    let picture: String
    let stop: StopSignal
    let simulator: ChildProcess
    let simulatorPorts: JSONValue
    let relay: RelayProcess
    let attachment: DemoAttachment
    let files: ChildProcess
    let filesPort: Int64
    let phone: DemoPhone
    let tablet: DemoPhone

    /// Additions for an audit: all output is kept, and the tablet can be locked.
    struct Watch {
        let tablet: String
        /// Folder of the tablet's app and keys.
        let home: String
        let webhook: (port: UInt16, secretFile: String)
    }

    init(
        keys: String,
        folder: String,
        picture: String,
        watch: Watch? = nil,
        stop: StopSignal
    ) throws(CommandError) {
        self.folder = folder
        self.keys = keys
        self.picture = picture
        self.stop = stop
        simulator = try ChildProcess(
            [
                "simulate", "--json", "--allow-example-keys", "--port", "0", "--device-port", "0", "--control-port",
                "0",
                "--certificate", keys + "/simulator.pem", "--certificate-key", keys + "/simulator.key",
                "--provider-key", keys + "/provider.pub.pem", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
                "--profile", "spec", "--environment", RelayConfiguration.environment,
            ],
            stop: stop
        )
        simulator.keepsTranscript = watch != nil
        simulatorPorts = try simulator.next(event: "ready")
        var configuration = RelayConfiguration(
            keys: try AbsolutePath.of(keys),
            folder: try AbsolutePath.of(folder),
            pushPort: try simulatorPorts.integer("push-port")
        )
        configuration.takesReceipts = true
        configuration.webhook = watch?.webhook
        try RelayProcess.makeTokenKey(configuration, stop: stop)
        relay = try RelayProcess(configuration, keepsLog: watch != nil, stop: stop)
        attachment = DemoAttachment(keys: keys, folder: folder, stop: stop)
        files = try attachment.startHost()
        filesPort = try files.next(event: "ready").integer("port")
        phone = try DemoPhone("phone", keys: keys, folder: folder, hasExampleKeys: true, stop: stop)
        tablet = try DemoPhone(
            watch?.tablet ?? "tablet",
            keys: keys,
            folder: folder,
            hasExampleKeys: false,
            home: watch?.home,
            stop: stop
        )
    }

    func switchOn(
        _ device: DemoPhone,
        screen: String? = nil,
        isLocked: Bool = false
    ) throws(CommandError) {
        try device.switchOn(
            port: try simulatorPorts.integer("device-port"),
            filesPort: filesPort,
            relayPort: relay.port,
            screen: screen,
            isLocked: isLocked
        )
    }

    /// As of half an hour ahead on the simulator's clock.
    func removeApp(number: Int) throws(CommandError) {
        let url = "http://127.0.0.1:\(try simulatorPorts.integer("control-port"))"
        guard let client = ControlClient(url: url, bearer: try simulatorPorts.text("control-bearer")) else {
            throw .failed("the simulator named no control API")
        }
        let calls = [("/v1/clock", #"{"by": 1800}"#), ("/v1/devices/\(number)/state", #"{"state": "app-removed"}"#)]
        for (path, body) in calls { _ = try client.call("POST", path, Array(body.utf8)) }
    }

    func close() {
        phone.switchOff()
        tablet.switchOff()
        relay.stop()
        files.stop()
        simulator.stop()
    }
}
