import ServiceParts
import Testing

@testable import Sidecar

struct SidecarConfigurationTests {
    private static let whole = """
        {
          "socket": {"path": "/run/sidecar.sock", "mode": "0660"},
          "loopback": {"port": 8090, "token-file": "/etc/token"},
          "database-file": "/var/lib/sidecar.sqlite", "sender-key-file": "/etc/sender.key",
          "topic": "com.example.chat",
          "relay": {"url": "https://push.example.com:8443", "key-file": "/etc/relay.key"},
          "attachments": {"url": "https://files.example.com", "token-file": "/etc/files.token", "folder": "/srv/files"},
          "limits": {"queued-recipients": 10, "words-minutes": 5}
        }
        """

    private func faults(_ text: String) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try SidecarConfiguration(file: Array(text.utf8))
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test func `a whole file is read`() throws {
        let read = try SidecarConfiguration(file: Array(Self.whole.utf8))
        #expect(read.socket?.path == "/run/sidecar.sock" && read.socket?.mode == 0o660)
        #expect(read.loopback == .init(port: 8_090, tokenFile: "/etc/token"))
        #expect(read.relay.origin == "https://push.example.com:8443" && !read.relay.isPlain)
        #expect(read.attachments?.folder == "/srv/files")
        #expect(read.limits.queuedCountMax == 10 && read.limits.wordsMinutes == 5 && read.limits.retentionHours == 24)
    }

    @Test(arguments: [
        (
            "\"socket\": {\"path\": \"/run/sidecar.sock\", \"mode\": \"0660\"},\n  \"loopback\": {\"port\": 8090, \"token-file\": \"/etc/token\"},",
            "", "1:1: missing; write \"socket\""
        ),
        ("\"0660\"", "\"0666\"", "/socket/mode: expected one of \"0600\", \"0660\""),
        ("https://push.example.com:8443", "http://push.example.com", "6:20: /relay/url: expected https://"),
        ("https://push.example.com:8443", "https://push.example.com/x", "6:20: /relay/url: expected https://"),
        ("com.example.chat", "com example", "5:12: /topic: expected the app's bundle id"),
        ("\"words-minutes\"", "\"word-minutes\"", "unknown field 'word-minutes'; did you mean 'words-minutes'?"),
        ("/etc/sender.key", "sender.key", "/sender-key-file: expected the absolute path of a file"),
    ])
    func `a fault is shown with its place and what to write`(_ old: String, _ new: String, _ wanted: String) {
        let faults = faults(Self.whole.replacing(old, with: new))
        #expect(faults.count == 1 && faults.first?.contains(wanted) == true, "\(faults)")
    }

    @Test func `a relay on this machine may speak plain HTTP`() throws {
        let text = Self.whole.replacing("https://push.example.com:8443", with: "http://127.0.0.1:8080")
        #expect(try SidecarConfiguration(file: Array(text.utf8)).relay.isPlain)
    }
}
