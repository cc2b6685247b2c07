import EndToEndStage
import NotificationCore

@testable import ChatAppCode

/// A phone with the documented app on it, whose person is signed in at a back end.
struct ChatPhone {
    let phone: Phone
    let server: ChatServer

    static func ready(on stage: Stage, files: Int? = nil, extension program: String? = nil) async throws -> ChatPhone {
        let own = ChatPhone(phone: Phone("phone", on: stage), server: ChatServer(on: stage, device: "phone"))
        try await own.phone.switchOn(extension: program, files: files)
        _ = try await own.launch()
        return own
    }

    /// Launches its app: the code of docs/ios.md.
    ///
    /// - Returns: the device, and the texts that the app showed itself.
    func launch() async throws -> (device: AppDevice, shown: [String]) {
        let (phone, server) = (phone, server)
        return try await phone.app {
            let settings = try ChatDevice.settings(groupFolder: phone.groupFolder, supportFolder: phone.supportFolder)
            var shown: [String] = []
            let device = try await startDevice(settings, token: phone.token, server) { shown.append($0.body) }
            return (device, shown)
        }
    }

    func nextShown() async throws -> JSON { try await phone.events.next("shown") }
}
