import APNS
import Envelope
import PushService
import PushStore
import ServiceParts

/// `--check-config`.
enum CheckCommand {
    static func run(_ path: String) -> Int32 {
        do throws(ConfigurationFileError) {
            let loaded = try ConfigurationFile.load(path)
            return Output.show("ok\n" + summary(loaded)) ? ExitCode.done : ExitCode.failed
        } catch {
            Output.complain(error.lines.joined(separator: "\n"))
            return ExitCode.configuration
        }
    }

    /// Holds no secret, hash, or path of a secret.
    private static func summary(_ loaded: LoadedConfiguration) -> String {
        let configuration = loaded.configuration
        let unixSeconds = Int64(clamping: ConfigurationFile.now().milliseconds / 1_000)
        var lines = configuration.listens.map { "listens on \(shown($0.address)):\($0.port) (https)" }
        if let port = configuration.loopbackPort { lines.append("listens on 127.0.0.1:\(port) (http)") }
        if let socket = configuration.socket { lines.append("listens on \(socket.path) (http)") }
        if let dashboard = configuration.dashboard {
            let place = dashboard.address.map(shown) ?? "127.0.0.1"
            lines.append("dashboard on \(place):\(dashboard.port) (\(dashboard.address == nil ? "http" : "https"))")
        }
        lines.append("database \(configuration.database.path)")
        lines.append("certificates are valid for \(loaded.files.certificateDaysLeft(at: unixSeconds)) days")
        for tenant in configuration.tenants {
            let hooks = tenant.webhook == nil ? "" : ", with a webhook"
            let clear = tenant.allowsClearText ? ", allows clear text" : ""
            lines.append("tenant \(tenant.id.text): \(counted(tenant.keys.count, "key"))\(hooks)\(clear)")
            for key in tenant.keys {
                guard let end = key.end else { continue }
                let days = ServiceMetrics.days(from: unixSeconds, to: end)
                lines.append(
                    "    key \(key.name) " + (unixSeconds < end ? "is valid for \(days) more days" : "has expired")
                )
            }
            for app in tenant.apps {
                let how =
                    switch app.credential {
                    case .key: "key"
                    case .certificate: "certificate"
                    }
                let place = app.endpoint.map { "\($0.host):\($0.port)" } ?? "Apple"
                let receipts = app.takesReceipts ? ", receipts" : ""
                let fallback = app.fallback.map { ", fallback by \($0.kind.rawValue)" } ?? ""
                lines.append(
                    "    app \(app.bundleID.text) (\(app.environment.rawValue)) by \(how) to \(place)\(receipts)\(fallback)"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func shown(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}
