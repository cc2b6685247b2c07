import ChildProcesses
import CommandLineTool
import Envelope
import Glibc
import HTTPSClient
import Keys

struct DemoPlay {
    private let stage: DemoStage
    private let message: String
    private let screen: String?

    init(_ stage: DemoStage, message: String, screen: String?) {
        self.stage = stage
        self.message = message
        self.screen = screen
    }

    private struct Sealed {
        let device: DemoPhone
        let sealed: String
        let trace: String
        let receiptHash: String
    }

    func run() throws(CommandError) {
        let (phone, tablet) = (stage.phone, stage.tablet)
        try introduce()
        try stage.switchOn(phone, screen: screen)
        try register(phone)
        try step(4, "phone", "connected over TLS; its app registered with the relay")
        try stage.switchOn(tablet)
        try register(tablet)
        tablet.switchOff()
        try step(5, "tablet", "the same; then it was switched off")

        let storedByteCount = try stage.attachment.upload(stage.picture, port: stage.filesPort)
        try step(6, "sender", "sealed \(TerminalText.safe(stage.picture)) and uploaded it: \(storedByteCount) bytes")
        let sealed = [try seal(for: phone), try seal(for: tablet)]
        try step(7, "sender", "sealed \(TerminalText.safe(message)) for both, with their key bundles from the relay")
        var traces = try post(sealed)
        try step(8, "relay", "has both on its disk (202)")
        let seen = try acceptedEvents(of: sealed)
        try step(9, "relay", "brought both to APNs")

        let shown = try phone.nextShown()
        traces[0].note("shown: \(try shown.text("why"))")
        try awaitReceipt(&traces[0])
        try step(10, "phone", "shows it, and its receipt is with the relay: \(try shown.text("why"))")
        try stage.switchOn(tablet)
        let late = try tablet.nextShown()
        traces[1].note("shown, after the tablet came back: \(try late.text("why"))")
        try awaitReceipt(&traces[1])
        try step(11, "tablet", "came back, shows it, and gives its receipt: \(try late.text("why"))")
        let last = try uninstall(tablet)

        try Output.print("")
        try Output.print(try DemoScreen(seen: seen, shown: shown).text)
        try Output.print("\nEach notification by its trace, from POST to lock screen:\n")
        for trace in traces + [last] { try Output.print(trace.text) }
        if let screen { try Output.print("\nThe lock screen as a picture: \(TerminalText.safe(screen))") }
    }

    private func introduce() throws(CommandError) {
        let pushPort = try stage.simulatorPorts.integer("push-port")
        try step(1, "simulator", "takes Apple's place: TLS and HTTP/2 on 127.0.0.1:\(pushPort)")
        try step(
            2,
            "relay",
            "sealedpushd on https://127.0.0.1:\(stage.relay.port); it has no key that opens anything"
        )
        try step(3, "files", "a host for what does not fit into a push: HTTPS on 127.0.0.1:\(stage.filesPort)")
    }

    private func register(_ device: DemoPhone) throws(CommandError) {
        let answer = try stage.relay.ask(.put, "/v1/devices/\(device.id)", try device.registration())
        guard answer.status < 300 else { throw refused("the registration", answer) }
    }

    /// The pinned identity authenticates the relay's bundle.
    private func seal(for device: DemoPhone) throws(CommandError) -> Sealed {
        let answer = try stage.relay.ask(.get, "/v1/devices/\(device.id)/bundle")
        guard answer.status == 200, let bundle = answer.json?["bundle"]?.string else {
            throw refused("the key bundle", answer)
        }
        let path = "\(stage.folder)/\(device.id).fetched"
        do throws(FileError) {
            try WholeFile.write(Array((bundle + "\n").utf8), to: path, access: .everyone)
        } catch {
            throw .file(error)
        }
        let out = "\(stage.folder)/\(device.id).push"
        let sender = try ChildProcess(
            [
                "seal", message, "--json", "--allow-example-keys", "--sender-key", stage.keys + "/sender.key",
                "--bundle", path, "--identity", device.identity, "--topic", RelayConfiguration.topic, "--out", out,
                "--attachment", stage.attachment.pointerPath, "--receipt",
            ],
            stop: stage.stop
        )
        let report = try sender.parse(try sender.nextLine())
        try sender.wait()
        let payload: [UInt8]
        do throws(FileError) { payload = try WholeFile.read(out, byteCountMax: 1 << 16) } catch { throw .file(error) }
        let json = try sender.parse(payload)
        return Sealed(
            device: device,
            sealed: try json.text("sealed"),
            trace: try json.text("trace"),
            receiptHash: try report.text("receipt-hash")
        )
    }

    private func awaitReceipt(_ trace: inout DemoTrace) throws(CommandError) {
        for _ in 0..<600 {
            let state = try stage.relay.ask(.get, "/v1/notifications/\(trace.id)")
            if state.json?["state"]?.string == "delivered" { return trace.note("its receipt reached the relay") }
            usleep(100_000)
        }
        throw .failed("no receipt came for the push that the \(trace.device) shows")
    }

    private func post(_ sealed: [Sealed]) throws(CommandError) -> [DemoTrace] {
        var traces = sealed.map { DemoTrace($0.trace, for: $0.device.id) }
        for index in traces.indices { traces[index].note("POST /v1/notifications") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("topic", RelayConfiguration.topic)
            writer.member("class", "normal")
            writer.name("recipients")
            writer.array { writer in
                for one in sealed {
                    writer.object { writer in
                        writer.member("device", one.device.id)
                        writer.member("sealed", one.sealed)
                        writer.member("trace", one.trace)
                        writer.member("receipt-hash", one.receiptHash)
                    }
                }
            }
        }
        let answer = try stage.relay.ask(.post, "/v1/notifications", writer.bytes)
        guard answer.status == 202, case .array(let accepted)? = answer.json?["notifications"]?.content,
            accepted.count == traces.count
        else { throw refused("the notification", answer) }
        for index in traces.indices {
            traces[index].id = try accepted[index].text("id")
            traces[index].note("202: on the relay's disk")
            let attempt = try stage.relay.attempt(of: sealed[index].trace)
            let reason = attempt["reason"]?.string.map { " \($0)" } ?? ""
            let milliseconds = try attempt.integer("milliseconds")
            traces[index].note("APNs answered \(try attempt.integer("status"))\(reason) within \(milliseconds) ms")
        }
        return traces
    }

    /// Phone's event, the first.
    private func acceptedEvents(of sealed: [Sealed]) throws(CommandError) -> JSONValue {
        var seen: JSONValue?
        for _ in sealed {
            let event = try stage.simulator.next(event: "accepted")
            let payload = Base64URL.decode(Array(try event.text("payload").utf8)) ?? []
            if String(decoding: payload, as: UTF8.self).contains(sealed[0].trace) { seen = event }
        }
        guard let seen else { throw .failed("the simulator did not report the phone's push") }
        return seen
    }

    /// The next push's answer makes the relay delete the device.
    private func uninstall(_ device: DemoPhone) throws(CommandError) -> DemoTrace {
        let sealed = try seal(for: device)
        try stage.removeApp(number: 2)
        device.switchOff()
        var traces = try post([sealed])
        guard try isGone(device) else { throw .failed("the relay would still send to the device that is gone") }
        traces[0].note("the relay sends nothing there any more")
        try step(12, device.id, "half an hour later without its app: APNs said so, and nothing is sent there any more")
        return traces[0]
    }

    /// The relay records an answer's effect after the answer.
    private func isGone(_ device: DemoPhone) throws(CommandError) -> Bool {
        for _ in 0..<600 {
            let answer = try stage.relay.ask(.get, "/v1/devices/\(device.id)")
            // Set aside if it registered within the hour (docs/store.md).
            if answer.status == 404 || answer.json?["quarantine"]?.string != nil { return true }
            usleep(100_000)
        }
        return false
    }

    private func refused(_ what: String, _ answer: (status: Int, json: JSONValue?)) -> CommandError {
        let detail = answer.json?["detail"]?.string.map { ": \(TerminalText.safe($0))" } ?? ""
        return .failed("the relay did not take \(what) (\(answer.status))\(detail)")
    }

    private func step(_ number: Int, _ who: String, _ what: String) throws(CommandError) {
        let place = String(repeating: " ", count: number < 10 ? 1 : 0) + "\(number)"
        let lead = "\(place)  \(who)\(String(repeating: " ", count: 11 - who.count))"
        try Output.print(Columns.wrapped(what, indent: 15, lead: lead))
    }
}
