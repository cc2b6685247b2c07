import NotificationCore
import RelayClient
import SwiftUI
import UIKit
import UserNotifications
import os

@main
struct ChatApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup { ChatView(status: delegate.status) }
            .onChange(of: phase) { _, phase in
                if phase == .active { delegate.start() }
            }
    }
}

/// The screen's text about the device's keys.
@MainActor @Observable
final class DeviceStatus {
    var text = "Not started yet"
}

struct ChatView: View {
    let status: DeviceStatus

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            Text("Acme Chat").font(.title)
            Text(status.text).textSelection(.enabled)
        }
        .padding()
    }
}

@MainActor
final class AppDelegate: NSObject, UIApplicationDelegate {
    let status = DeviceStatus()
    private let backEnd = ChatBackEnd()
    private let log = Logger(subsystem: "com.example.chat", category: "device")
    private var running: Task<Void, Never>?
    private var token: [UInt8]?
    private var voIPToken: [UInt8]?
    private var calls: ChatCalls?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound]) { _, _ in }
        application.registerForRemoteNotifications()
        // At each launch and before anything else waits: iOS may have launched the app for a call.
        calls = ChatCalls(
            groupFolder: Self.groupFolder,
            onToken: { token in
                MainActor.assumeIsolated {
                    self.voIPToken = token.map { Array($0) }
                    self.start()
                }
            },
            onAnswer: { [log] _ in log.info("answered: here the app joins the call") }
        )
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        token = Array(deviceToken)
        start()
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        log.error("no device token: \(error.localizedDescription, privacy: .public)")
    }

    /// After a restart keys cannot be read until the first unlock: it tries again then.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) { start() }

    /// Runs once at a time; not on the main thread, because it waits for the disk.
    func start() {
        guard let token, running == nil else { return }
        running = Task {
            let text = await Task.detached(priority: .utility) { [voIPToken, backEnd, log] in
                await Self.run(token, voIPToken, backEnd, log)
            }.value
            status.text = text
            running = nil
        }
    }

    private nonisolated static var groupFolder: String? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: ChatDevice.appGroup)?.path
    }

    private nonisolated static func run(
        _ token: [UInt8],
        _ voIPToken: [UInt8]?,
        _ backEnd: ChatBackEnd,
        _ log: Logger
    ) async -> String {
        guard let groupFolder else {
            return "The app group \(ChatDevice.appGroup) is not in the app's entitlements."
        }
        do {
            let support = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            let settings = try ChatDevice.settings(groupFolder: groupFolder, supportFolder: support.path)
            let device = try await startDevice(settings, token: token, voIPToken: voIPToken, backEnd) { show($0) }
            for warning in try device.setupWarnings() { log.error("\(warning.description, privacy: .public)") }
            return "Compare with what your back end has pinned:\n\(device.identity.text)"
        } catch RelayClientError.certificateHasBadDate {
            return "This device's date is far off. Set it right, and come back."
        } catch RelayClientError.notTrusted {
            return "Something stands between this device and the back end: a hotel's network, for instance."
        } catch AppDeviceError.locked {
            return "Unlock the device once."
        } catch {
            log.error("the device did not start: \(String(describing: type(of: error)), privacy: .public)")
            return "The device did not start. It is tried again when the app comes to the front."
        }
    }

    /// Shows a message that came while the device was locked. The extension could only report its arrival.
    private nonisolated static func show(_ content: NotificationContent) {
        let request = UNNotificationRequest(
            identifier: content.trace ?? UUID().uuidString,
            content: content.notification(),
            trigger: nil
        )
        UNUserNotificationCenter.current().add(request)
    }
}
