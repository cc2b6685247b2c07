import CommandLineTool
import Envelope
import ExtensionHarness
import Foundation
import Keys
import NotificationServiceExtension
import Opening
import Platform

struct ReplayCommand: Command {
    static let name = "replay"
    static let summary = "shows what a captured push becomes: as text, as JSON, as a picture of the lock screen"
    static let operands = "PUSH.apns"
    static let options = [
        Option("--keys", "FILE", "the device's private keys, from 'keygen device'; a Live Activity needs none"),
        Option("--senders", "FILE", "the senders to trust: a line of sender.pub each, or a contact list"),
        Option("--at", "TIME", "the device's date when the push arrives, such as 2026-11-21T10:00Z; now without it"),
        locked, beforeFirstUnlock,
        Option("--language", "TAG", "the person's language, such as de; English without it"),
        Option("--strings", "FOLDER", "the app's folder with its <language>.lproj folders"),
        Option("--app-name", "NAME", "the app's name in the picture"),
        Option("--svg", "FILE", "writes the picture"),
        Option("--png", "FILE", "writes it as PNG, which takes rsvg-convert, ImageMagick or Inkscape"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush replay push.json --keys keys-example/device.key \\
              --senders keys-example/sender.pub --allow-example-keys --svg push.svg

        PUSH.apns is a payload as it came, or a file for Xcode's simulator: its "Simulator Target Bundle" is ignored.
        Of a push for a Live Activity, event and content are printed. No state is kept between runs.
        """

    private static let locked = Option(flag: "--locked", "the device is locked")
    private static let beforeFirstUnlock = Option(
        flag: "--before-first-unlock",
        "the device was restarted and not unlocked since"
    )

    private let arguments: Arguments
    private let pushPath: String
    private let date: Date
    private let lock: Device.Lock

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        pushPath = try arguments.operand("PUSH.apns")
        date = try arguments.date("--at") ?? Date()
        switch (arguments.flag(Self.locked), arguments.flag(Self.beforeFirstUnlock)) {
        case (true, true): throw arguments.wrong("--before-first-unlock includes --locked; give one of them")
        case (true, false): lock = .locked
        case (false, true): lock = .beforeFirstUnlock
        case (false, false): lock = .unlocked
        }
    }

    func run() async throws(CommandError) {
        switch try capturedPush() {
        case .liveActivity(let update):
            for name in ["--svg", "--png"] where arguments.value(name) != nil {
                throw failure("a Live Activity, which the app itself draws; \(name) is for notifications")
            }
            try ReplayLog(printsJSON: arguments.flag(.json)).print(update)
        case .notification(let push):
            let (shown, picture) = try await arrival(of: push)
            try ReplayLog(printsJSON: arguments.flag(.json)).print(shown)
            try write(picture)
        }
    }

    private func capturedPush() throws(CommandError) -> CapturedPush {
        let bytes = try readInput(pushPath, byteCountMax: CapturedPush.byteCountMax)
        do throws(CapturedPushError) {
            return try CapturedPush(file: bytes)
        } catch {
            throw .failed("\(TerminalText.safe(pushPath)):\(error)")
        }
    }

    private func arrival(
        of push: SimulatedPush
    ) async throws(CommandError) -> (shown: ShownNotification, picture: LockScreenPicture) {
        let (keyPath, sendersPath) = (try arguments.required("--keys"), try arguments.required("--senders"))
        let container = try AppContainer()
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
            let contacts = try ContactList(file: sendersPath)
            // A replay window made later than its message would refuse it.
            try phone.run { () throws(FileError) in try container.install(keys, contacts) }
        } catch {
            throw .file(error)
        }
        let device = Device(conditions) { PrincipalClass.make() }
        let shown = await device.deliver(push)
        // Attachment files live as long as the device.
        let picture = withExtendedLifetime(device) {
            LockScreenPicture(of: shown, appName: arguments.value("--app-name") ?? "Acme Chat", language: language)
        }
        return (shown, picture)
    }

    private var phone: SimulatedDevice {
        let milliseconds = UInt64(date.timeIntervalSince1970 * 1_000)
        return SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { milliseconds })
    }

    private var conditions: Device.Conditions {
        var conditions = Device.Conditions()
        conditions.date = date
        conditions.lock = lock
        conditions.languages = [language]
        conditions.appBundle = arguments.value("--strings").map { URL(fileURLWithPath: $0, isDirectory: true) }
        return conditions
    }

    private func write(_ picture: LockScreenPicture) throws(CommandError) {
        let pngPath = arguments.value("--png")
        guard let svgPath = arguments.value("--svg") ?? pngPath.map({ $0 + ".svg" }) else { return }
        let svg = Array(picture.svg.utf8)
        try writeOutput(svg, to: svgPath)
        guard let pngPath else { return }
        guard let png = try PNGConversion.png(of: svg) else {
            throw .failed(
                "no PNG was made: none of \(PNGConversion.toolNames) is installed and works; install librsvg2-bin; "
                    + "the picture is in \(TerminalText.safe(svgPath))"
            )
        }
        try writeOutput(png, to: pngPath)
    }

    private var language: String { arguments.value("--language") ?? "en" }

    private func failure(_ sentence: String) -> CommandError {
        .failed("\(TerminalText.safe(pushPath)): \(sentence)")
    }
}
