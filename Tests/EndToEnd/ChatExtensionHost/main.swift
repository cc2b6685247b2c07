import ExtensionHarness
import Foundation

@testable import NotificationServiceExtension

// The extension in its own process. Its log is standard error; a test reads it from a file.
if let path = ProcessInfo.processInfo.environment["CHAT_EXTENSION_LOG"] {
    let log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0, dup2(log, STDERR_FILENO) == STDERR_FILENO else { exit(2) }
}
ExtensionHost.run { NotificationService() }
