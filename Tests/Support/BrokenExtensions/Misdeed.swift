import Glibc
import UserNotifications

enum Misdeed {
    /// The host's own descriptor.
    static let channel: Int32 = 3

    static func content(_ title: String) -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = title
        return content
    }

    /// A text file that claims to be a picture.
    static func contentWithInvalidAttachment() -> UNMutableNotificationContent {
        let content = content("with an attachment")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("picture.png")
        do {
            try Data("not a picture".utf8).write(to: file)
            content.attachments = [try UNNotificationAttachment(identifier: "picture", url: file)]
        } catch {
            content.title = "no file: \(error)"
        }
        return content
    }

    static func queueNote() {
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 25, repeats: false)
        let request = UNNotificationRequest(identifier: "note", content: content("note"), trigger: trigger)
        UNUserNotificationCenter.current().add(request)
    }

    static func waitForever() {
        while true { pause() }
    }

    /// Runs it twice at once: both calls have begun before either returns.
    static func twice(_ body: @escaping () -> Void) {
        // Each runs once, on a thread of its own; their race is inside the harness.
        let work = UncheckedWork(body: body)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in work.body() }
    }

    // Sendable because an extension may call its content handler on any thread.
    private struct UncheckedWork: @unchecked Sendable {
        let body: () -> Void
    }

    /// Touches page after page, and keeps them all; stops at a gigabyte, where no limit has worked yet. It never
    /// returns: an answer could overtake a harness that has had no turn to check.
    static func takeMemory(stepByteCount: Int) {
        var taken = 0
        while taken < 1 << 30 {
            guard let memory = unsafe malloc(stepByteCount) else { break }
            unsafe memset(memory, 1, stepByteCount)
            taken += stepByteCount
            usleep(1_000)
        }
        waitForever()
    }

    /// Without a word: the runtime prints a stack trace, which would stand among the results of tests that passed.
    static func trap() {
        _ = dup2(unsafe open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO)
        let empty: [Int] = []
        _ = empty[empty.count]
    }

    static func readBadAddress() {
        _ = raise(SIGSEGV)
    }

    static func report(_ text: String) {
        _ = unsafe write(channel, text, text.utf8.count)
    }

    static func reportWithoutEnd() {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        while unsafe write(channel, bytes, bytes.count) > 0 {}
    }

    /// The descriptor stays open, and with it the lock.
    static func lock(isRecord: Bool) {
        let file = unsafe open(sharedPath("store.sqlite"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if isRecord {
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            _ = unsafe fcntl(file, F_SETLK, &range)
        } else {
            _ = flock(file, LOCK_EX)
        }
    }

    static func leaveFile() {
        close(unsafe open(sharedPath("left"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    }

    private static func sharedPath(_ name: String) -> String {
        let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.com.example.chat")
        return group?.appendingPathComponent(name).path ?? name
    }
}
