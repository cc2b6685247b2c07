import APNS
import CommandLineTool
import Envelope
import Keys
import NotificationCore
import Opening
import RelayClient

extension DeviceCommand {
    /// At the app's first launch.
    func installKeys(_ container: borrowing AppContainer) throws(CommandError) -> BundleID {
        guard let keyPath = arguments.value("--device-key") else { return try arguments.topic() }
        do throws(FileError) {
            let keys = try DeviceKeys(keyFile: keyPath, exampleKeys: arguments.exampleKeys)
            if !container.hasApp { try container.install(keys, ContactList()) }
            return keys.topic
        } catch {
            throw .file(error)
        }
    }

    func launch(
        _ container: borrowing AppContainer,
        _ topic: BundleID
    ) throws(CommandError) -> PhoneApp {
        let endpoints = try PhoneEndpoints(arguments, container)
        let app = try PhoneApp(container, topic: topic, hosts: hosts, endpoints: endpoints)
        do {
            if let path = arguments.value("--senders") { try app.device.setContacts(try contacts(path)) }
            // A tester's keys stay as they are in their file.
            if arguments.value("--device-key") == nil {
                try app.confirmTime()
                _ = try app.device.rotateIfDue()
            }
        } catch let error as AppDeviceError {
            throw .failed(error.sentence)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("\(error)")
        }
        try publishKeys(of: app)
        return app
    }

    private func contacts(_ path: String) throws(CommandError) -> ContactList {
        do throws(FileError) { return try ContactList(file: path) } catch { throw .file(error) }
    }

    private func publishKeys(of app: PhoneApp) throws(CommandError) {
        do {
            if let path = arguments.value("--bundle-out") {
                try write(Base64URL.string(try app.device.bundle().bytes), to: path, .everyone)
            }
            if let path = arguments.value("--identity-out") {
                try write(app.device.identity.text, to: path, .everyone)
            }
            if let path = arguments.value("--web-push-out") {
                let subscription = try app.device.enableWebPush()
                var writer = JSONWriter()
                writer.object { writer in
                    writer.member("p256dh", subscription.p256dh)
                    writer.member("auth", subscription.auth)
                }
                // Both values together allow writing.
                try write(String(decoding: writer.bytes, as: UTF8.self), to: path, .ownerOnly)
            }
            if let path = arguments.value("--endpoint-key-out"), let endpoints = app.endpoints {
                var writer = JSONWriter()
                writer.object { $0.member("hash", endpoints.key.hash) }
                try write(String(decoding: writer.bytes, as: UTF8.self), to: path, .everyone)
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("no key bundle could be made (\(error))")
        }
    }

    func publish(_ token: DeviceToken, _ voIPToken: DeviceToken?, _ app: PhoneApp?) async throws(CommandError) {
        // With the team's key, a token suffices to push to this device.
        if let path = arguments.value("--token-out") { try write(token.hex, to: path, .ownerOnly) }
        let (path, enrolment) = (arguments.value("--registration-out"), arguments.value("--enrol"))
        guard path != nil || enrolment != nil, let app else { return }
        let registration: DeviceRegistration
        do {
            registration = try DeviceRegistration(
                of: app.device,
                token: token.bytes,
                environment: .sandbox,
                voIPToken: voIPToken?.bytes
            )
        } catch {
            throw .failed("the app could not make its registration (\(error))")
        }
        if let path { try write(String(decoding: registration.json, as: UTF8.self), to: path, .ownerOnly) }
        if let enrolment { try await app.enrol(registration, try proof(enrolment)) }
    }

    /// - Parameter word: `open`, or a ticket's file.
    private func proof(_ word: String) throws(CommandError) -> EnrolmentProof {
        guard word != "open" else { return .none }
        let bytes = try readInput(word, byteCountMax: 4_096)
        return .ticket(String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self))
    }

    func write(_ line: String, to path: String, _ access: WholeFile.Access) throws(CommandError) {
        do throws(FileError) {
            try WholeFile.write(Array((line + "\n").utf8), to: path, access: access)
        } catch {
            throw .file(error)
        }
    }
}
