import CommandLineTool
import Envelope
import Glibc
import Keys
import NotificationCore
import NotificationServiceExtension
import Opening
import Platform
import RelayClient

/// Acts at each launch as a shipped app does (docs/ios.md).
struct PhoneApp {
    let device: AppDevice
    let endpoints: PhoneEndpoints?
    private let relay: RelayClient
    /// Resolves the relay's name.
    private let phone: SimulatedDevice

    /// Missing files are made.
    init(
        _ container: borrowing AppContainer,
        topic: BundleID,
        hosts: [SimulatedDevice.HostMapping],
        endpoints: PhoneEndpoints? = nil
    ) throws(CommandError) {
        self.endpoints = endpoints
        var settings = AppDevice.Settings(
            topic: topic,
            containerPath: container.groupPath,
            privatePath: container.privatePath,
            display: PrincipalClass.display
        )
        settings.keepsReceipts = true
        do throws(AppDeviceError) {
            switch try AppDevice.open(settings) {
            case .continued(let device), .newIdentity(let device), .remade(let device, _): self.device = device
            }
        } catch {
            throw .failed("the app's keys in \(TerminalText.safe(container.groupPath)): \(error.sentence)")
        }
        do throws(RelayClientError) { relay = try RelayClient(PrincipalClass.relayURL) } catch {
            throw .failed("\(PrincipalClass.relayURL) is not a relay's address")
        }
        phone = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { Self.machineTime },
            hosts: hosts
        )
    }

    /// Milliseconds since 1970. `Timestamp.now` is the phone's clock.
    private static var machineTime: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The machine's clock replaces a server's.
    func confirmTime() throws(AppDeviceError) { _ = try device.confirm(.now, askedAt: .now, now: .now) }

    /// Registers the phone at the relay, as a back end would.
    func enrol(_ registration: DeviceRegistration, _ proof: EnrolmentProof) async throws(CommandError) {
        guard let key = endpoints?.key else { return }
        let enrolling = phone.run {
            Task { [device, relay] in
                let answer = try await relay.enrol(registration, key, proof: proof)
                try device.acknowledged(registration, answer: answer)
            }
        }
        do { try await enrolling.value } catch RelayClientError.refused(let status) {
            throw .failed(
                "the relay refused the enrolment with \(status); compare the app's 'enrolment' in its configuration with"
                    + " --enrol, and make a new ticket if there is one"
            )
        } catch {
            throw .failed("the phone could not enrol at the relay (\(error)); check --relay and --ca")
        }
    }

    /// - Returns: Messages kept while the phone was locked.
    func run() async throws(CommandError) -> [NotificationContent] {
        let fetching = phone.run { Task { [device, relay] in try await device.fetchRecords(from: relay) } }
        // Kept, as without a network.
        do { try await fetching.value } catch {}
        let contents: [NotificationContent]
        do throws(AppDeviceError) { contents = try device.openSpooled() } catch { throw .failed(error.sentence) }
        let reporting = phone.run { Task { [device, relay] in try await device.report(to: relay) } }
        // Reports are kept, as without a network.
        do { try await reporting.value } catch {}
        let subscribing = phone.run { Task { [device, relay, endpoints] in try await endpoints?.run(device, relay) } }
        do { try await subscribing.value } catch { throw error as? CommandError ?? .failed("\(error)") }
        return contents
    }
}

extension AppDeviceError {
    var sentence: String {
        switch self {
        case .locked: "they cannot be read; check the files' owner"
        case .storageFull: "the disk is full"
        case .otherTopic: "they belong to another app; give its bundle id with --topic"
        case .system(let call, let code): "\(call): \(Output.systemText(code))"
        case .announcement(let error): "a sender's announcement was refused (\(error))"
        case .damaged, .contactsDamaged, .webPushKeysDamaged, .replayStoreLost, .erased, .rotationDue,
            .unknownEpoch, .randomSource:
            "they are damaged (\(self)); remove the folder and start again"
        }
    }
}
